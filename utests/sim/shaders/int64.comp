#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint64_t x = packUint2x32(uvec2(a[i], a[i ^ 3u])), y = packUint2x32(uvec2(a[i ^ 7u], i)) | 1ul;
    int64_t s = int64_t(x);
    uint64_t r = x * y + (x >> (y & 63ul)) + (x << (y & 31ul)) + uint64_t(s >> int(i & 63u));
    r ^= x / y + x % y;
    if (s < int64_t(y))
        r += uint64_t(-s);
    r ^= min(x, y) - (max(s, int64_t(y)) > 0l ? x : y);
    uvec2 u = unpackUint2x32(r);
    b[i] = u.x * 31u + u.y;
}
