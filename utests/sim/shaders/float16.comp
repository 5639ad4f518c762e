#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
/* Small integers and quarters: exact in half precision whatever is fused. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint16_t a[]; };
layout(binding = 1) buffer B { float16_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    float16_t x = float16_t(float(uint(a[i]) & 31u)), y = float16_t(float(uint(a[i]) >> 11) - 16.0);
    float16_t r = x * y + float16_t(0.25);
    r = floor(r) + abs(y) - max(x, y) * float16_t(0.5);
    r += x > y ? float16_t(3.0) : float16_t(-7.5);
    b[i] = r + fract(x * float16_t(0.25)) + clamp(y, float16_t(-4.0), float16_t(5.0));
}
