#version 450
/* 1,000 items in three dimensions, in groups in three dimensions: what each id says. */
layout(local_size_x = 10, local_size_y = 4, local_size_z = 25) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uvec3 n = gl_NumWorkGroups * gl_WorkGroupSize, g = gl_GlobalInvocationID;
    uint i = (g.z * n.y + g.y) * n.x + g.x;
    uint r = gl_LocalInvocationIndex;
    r = r * 64u + gl_WorkGroupID.x;
    r = r * 64u + gl_WorkGroupID.y * 8u + gl_WorkGroupID.z;
    r ^= (gl_LocalInvocationID.x << 28) ^ (gl_LocalInvocationID.y << 24) ^ gl_LocalInvocationID.z;
    b[i] = r + a[i];
}
