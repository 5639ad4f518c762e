#version 450
/* All atomic operations on images: two dozen lanes a texel, each with an operand of its own. */
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint a[]; };
layout(binding = 1) buffer Out { uint o[]; };
layout(binding = 2, r32ui) uniform uimage2D u;
layout(binding = 3, r32i) uniform iimage2DArray s;

void main()
{
    uint i = gl_GlobalInvocationID.x, v = a[i];
    ivec2 p = ivec2(i & 7, 0);
    imageAtomicAdd(u, p, v);
    imageAtomicMin(u, p + ivec2(0, 1), v);
    imageAtomicMax(u, p + ivec2(0, 2), v);
    imageAtomicAnd(u, p + ivec2(0, 3), v | 0xffff);
    imageAtomicOr(u, p + ivec2(0, 4), v & 0xffff0000);
    imageAtomicXor(u, p + ivec2(0, 5), v);
    imageAtomicMin(s, ivec3(p, 1), int(v));
    imageAtomicMax(s, ivec3(p, 2), int(v));
    imageAtomicAdd(s, ivec3(p, 0), -int(v & 0xffff));
    /* One lane at a time takes a ticket; whoever comes first at its own place wins it. */
    uint ticket = imageAtomicAdd(u, ivec2(8, 0), 1u);
    o[ticket] = 1;
    o[1024 + i] = imageAtomicExchange(u, ivec2(9 + (i & 3), i >> 2), i + 7);
    o[2048 + i] = imageAtomicCompSwap(u, ivec2(14 + (i & 3), i >> 2), v & 1, i);
}
