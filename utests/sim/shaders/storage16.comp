#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint16_t a[]; };
layout(binding = 1) buffer B { float16_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    b[i * 3u] = float16_t(float(int(uint(a[i]) & 0x7ffu) - 1024)); /* exact in half precision */
}
