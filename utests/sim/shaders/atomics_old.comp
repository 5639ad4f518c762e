#version 450
/* What the atomics return: every item has a word of its own, so that it is known. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[64];
shared int t[64];
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x ^ 21u, x = a[i], o = i + 8192u;
    s[l] = x;
    t[l] = int(x);
    b[o] = x;
    uint r = atomicAdd(b[o], 77u);
    r = r * 31u + atomicExchange(b[o], x * 3u);
    r = r * 31u + atomicCompSwap(b[o], x * 3u, x ^ 0xffu);
    r = r * 31u + atomicCompSwap(b[o], x, 0u);
    r = r * 31u + atomicMin(b[o], 0x40000000u);
    r = r * 31u + atomicMax(b[o], 0x1234u + (i & 7u));
    r = r * 31u + atomicOr(b[o], 0x11u);
    r = r * 31u + atomicAnd(b[o], 0xfffffff0u);
    r = r * 31u + atomicXor(b[o], x);
    r = r * 31u + atomicAdd(s[l], 0xffffffffu);
    r = r * 31u + atomicExchange(s[l], x >> 3);
    r = r * 31u + atomicCompSwap(s[l], x >> 3, ~x);
    r = r * 31u + uint(atomicMin(t[l], -5));
    r = r * 31u + uint(atomicMax(t[l], 100));
    r = r * 31u + uint(atomicXor(t[l], 0x77777777));
    b[i] = r + s[l] * 7u + uint(t[l]);
}
