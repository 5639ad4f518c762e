#version 450
/* Thirty buffers; which part of each is read is known only at run time. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) buffer C { uint c[]; } many[28];
void main()
{
    uint i = gl_GlobalInvocationID.x, r = a[i];
    for (int k = 0; k < 28; k++)
        r = r * 3u + many[k].c[(r >> 8) & 63u];
    many[gl_WorkGroupID.x % 28u].c[64u + (i & 31u)] = i;
    b[i] = r;
}
