#version 450
/* Conversions, rounding, comparisons with infinities and not-a-number. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], r = floatBitsToUint(float(x));
    r = r * 31u + floatBitsToUint(float(int(x)));
    float f = float(int(x >> 12) - 0x80000) * 0.125;
    r = r * 31u + uint(int(f)) + uint(abs(f));
    r = r * 31u + floatBitsToUint(floor(f)) + floatBitsToUint(ceil(f));
    r = r * 31u + floatBitsToUint(trunc(f)) + floatBitsToUint(roundEven(f)) + floatBitsToUint(fract(f));
    float any = uintBitsToFloat((i & 3u) == 0u ? 0x7f800000u | (i & 4u) << 29 : (i & 3u) == 1u ? 0x7fc00000u : x & 0xbfffffffu | 0x20000000u);
    r = r * 2u + (isinf(any) ? 1u : 0u);
    r = r * 2u + (isnan(any) ? 1u : 0u);
    r = r * 2u + (any < f ? 1u : 0u);
    r = r * 2u + (any > f ? 1u : 0u);
    r = r * 2u + (any == any ? 1u : 0u);
    r = r * 2u + (any != f ? 1u : 0u);
    r = r * 2u + (!(any >= f) ? 1u : 0u);
    b[i] = r;
}
