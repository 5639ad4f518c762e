#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint64_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint64_t x = packUint2x32(uvec2(a[i], a[i ^ 1u])), old;
    atomicAdd(b[0], x);
    atomicXor(b[1], x);
    atomicMax(b[2], x);
    atomicOr(b[3], x & 0x0f0f00000f0fUL);
    old = atomicAdd(b[16u + i], x);
    old += atomicExchange(b[16u + i], x * 3UL);
    old += atomicCompSwap(b[16u + i], x * 3UL, x + 1UL);
    atomicAdd(b[16u + i], old);
}
