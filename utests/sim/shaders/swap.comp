#version 450
/* Stands for a kernel of our compiler, which takes this code's place: the same buffers, 64 bytes of constants, the
 * number of groups, one SIMD16 thread a group. By itself it gives other results. */
layout(local_size_x = 16) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { uint p[16]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, r = a[i] + gl_NumWorkGroups.x;
    for (int k = 0; k < 16; k++)
        r = r * 3u + p[k];
    b[i] = r;
}
