#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    // Every step is exact in single precision, so that any order of rounding gives the same bits.
    uint i = gl_GlobalInvocationID.x;
    float x = float(a[i] & 0xfff), y = float((a[i] >> 12) & 0xff) - 128.0;
    float r = x * y + 0.5;
    r = floor(r * 0.25) + fract(x * 0.125) + abs(y) - trunc(-x * 0.5) + ceil(y * 0.0625);
    r += x > y * 16.0 ? 3.0 : -7.0;
    r += min(x, y) + max(x, y) + clamp(y, -4.0, 5.0) + sign(y);
    b[i] = floatBitsToUint(r) ^ uint(int(y) + 1000) ^ packHalf2x16(vec2(y, y * 0.5));
}
