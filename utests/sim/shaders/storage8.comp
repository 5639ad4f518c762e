#version 450
#extension GL_EXT_shader_8bit_storage : require
/* Bytes in storage buffers: neighbours stay what they were. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint8_t a[]; };
layout(binding = 1) buffer B { int8_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    b[i * 2u + 1u] = int8_t(int(uint(a[i])) - 77);
}
