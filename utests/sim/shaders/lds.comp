#version 450
/* All 64 KiB of shared memory. */
layout(local_size_x = 256) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[16384];
void main()
{
    uint l = gl_LocalInvocationID.x;
    for (uint k = 0u; k < 64u; k++)
        s[(k * 256u + l) * 5u & 16383u] = a[k * 256u + l] + gl_WorkGroupID.x;
    memoryBarrierShared();
    barrier();
    for (uint k = gl_WorkGroupID.x; k < 64u; k += gl_NumWorkGroups.x)
        b[k * 256u + l] = s[k * 256u + (l ^ 255u)];
}
