#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint8_t a[]; };
layout(binding = 1) buffer B { uint8_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint8_t x = a[i * 3u], y = a[i * 3u + 1u], k = uint8_t(31), d = y == uint8_t(0) ? uint8_t(7) : y;
    uint8_t r = x * y + x;
    r = r * k + uint8_t(int8_t(x) >> int8_t(2)) + (y << uint8_t(3)) + (x >> uint8_t(1));
    r = r * k + x / d + x % d;
    r = r * k + uint8_t(min(int8_t(x), int8_t(y))) + max(x, y);
    r = r * k + (int8_t(x) < int8_t(y) ? uint8_t(1) : uint8_t(0));
    b[i] = r;
}
