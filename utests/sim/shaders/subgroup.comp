#version 450
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    /* Nothing here depends on the width of a subgroup, which is 8 at least. */
    uint i = gl_GlobalInvocationID.x, x = a[i];
    uint r = subgroupQuadSwapHorizontal(x);
    r = r * 31u + subgroupQuadSwapVertical(x);
    r = r * 31u + subgroupQuadSwapDiagonal(x);
    r = r * 31u + subgroupQuadBroadcast(x, 2u);
    r = r * 31u + subgroupShuffleXor(x, 5u);
    r = r * 31u + subgroupClusteredAdd(x, 8u);
    r = r * 31u + subgroupClusteredMax(x, 4u);
    if ((i & 4u) != 0u) /* whole clusters of four */
        r = r * 31u + subgroupClusteredXor(x, 4u);
    if (subgroupAll(x == a[i]))
        r += 7u;
    b[i] = r;
}
