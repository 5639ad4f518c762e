#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint total;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationID.x == 0)
        total = 0;
    memoryBarrierShared();
    barrier();
    atomicAdd(total, a[i] & 0xff);
    atomicAdd(b[0], a[i]);
    atomicMax(b[1], a[i]);
    atomicMin(b[2], a[i]);
    atomicXor(b[3], a[i]);
    atomicOr(b[4], a[i] & 0x0f0f);
    atomicAnd(b[5], a[i] | 0xff00);
    uint slot = atomicAdd(b[6], 1);
    b[4096 + slot] = 1;
    uint old = b[7], seen;
    do {
        seen = old;
        old = atomicCompSwap(b[7], seen, seen + 3);
    } while (old != seen);
    memoryBarrierShared();
    barrier();
    b[1024 + i] = total;
}
