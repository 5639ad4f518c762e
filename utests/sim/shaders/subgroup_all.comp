#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
/* Whole-subgroup operations; the shader says how wide it was compiled. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) buffer C { uint c[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], at = i * 8u;
    c[at] = subgroupBallotBitCount(subgroupBallot(true)); /* gl_SubgroupSize is 32 on any of them */
    c[at + 1u] = subgroupAdd(x) ^ subgroupMin(x);
    c[at + 2u] = subgroupInclusiveAdd(x);
    c[at + 3u] = subgroupExclusiveMax(x);
    uvec4 odd = subgroupBallot((x & 8u) != 0u);
    c[at + 4u] = odd.x;
    c[at + 5u] = subgroupBroadcast(x, 3u) + subgroupBroadcastFirst(x) * 3u;
    uint up = subgroupShuffleUp(x, 2u);
    c[at + 6u] = gl_SubgroupInvocationID < 2u ? 0u : up;
    if ((x & 16u) != 0u) /* some lanes only */
        c[at + 7u] = subgroupAdd(x & 0xffu) + subgroupBallotBitCount(subgroupBallot(true)) * 65536u;
    else
        c[at + 7u] = subgroupAny((x & 32u) != 0u) ? 1u : 0u;
}
