#version 450
/* Normalised and half-precision packing: there and back again is exact. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i];
    uint r = packUnorm4x8(unpackUnorm4x8(x));
    r = r * 31u + packUnorm2x16(unpackUnorm2x16(x));
    r = r * 31u + packSnorm4x8(unpackSnorm4x8(x | 0x01010101u));
    r = r * 31u + packSnorm2x16(unpackSnorm2x16(x | 0x00010001u));
    uint h = (x & 0xbbffbbffu) | 0x04000400u; /* normal numbers alone */
    vec2 f = unpackHalf2x16(h);
    r = r * 31u + packHalf2x16(f);
    r = r * 31u + floatBitsToUint(f.x);
    r = r * 31u + floatBitsToUint(f.y);
    r = r * 31u + packUnorm4x8(vec4(-1.0, 0.0, 1.0, 7.0)) + uint(unpackUnorm4x8(x).w * 255.0 + 0.5);
    b[i] = r;
}
