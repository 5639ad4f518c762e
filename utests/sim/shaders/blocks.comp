#version 450
/* Uniform blocks, which Mesa reads through the sampler where the index varies. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) uniform C { uvec4 c[4]; } blocks[8];
void main()
{
    uint i = gl_GlobalInvocationID.x, r = a[i];
    for (int k = 0; k < 8; k++)
        r = r * 5u + blocks[k].c[(r >> 4) & 3u][int(r & 3u)];
    b[i] = r;
}
