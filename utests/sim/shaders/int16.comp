#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { int16_t a[]; };
layout(binding = 1) buffer B { uint16_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    int16_t x = a[i * 2u], y = a[i * 2u + 1u];
    int16_t q = y == 0s ? 3s : y;
    uint16_t ux = uint16_t(x), uy = uint16_t(y), r = ux * uy + ux;
    r = r * 31us + uint16_t(x >> 3s) + (ux >> 5us) + (uy << 2us);
    r = r * 31us + ux / uint16_t(q) + ux % uint16_t(q);
    r = r * 31us + uint16_t(min(x, y)) + max(ux, uy) + uint16_t(abs(x / 5s));
    r = r * 31us + (x < y ? 1us : 0us) + (ux < uy ? 2us : 0us) + (ux & ~uy | (ux ^ uy) & 0xffus);
    b[i] = r;
}
