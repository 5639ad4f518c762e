#version 450
/* Division and remainder of every sign, zero excepted. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], y = a[i ^ 9u] >> (i & 31u);
    y = y == 0u ? 1u : y;
    int sx = int(x), sy = int(a[i ^ 9u]) >> (i & 31u);
    sy = sy == 0 ? -7 : sy;
    sy = sy == -1 ? 11 : sy;
    uint r = x / y;
    r = r * 31u + x % y;
    r = r * 31u + uint(sx / sy);
    r = r * 31u + uint(sx % sy); /* the divisor's sign: OpSMod */
    r = r * 31u + uint(sx / 10) + x / 10u;
    r = r * 31u + uint(sx % 1000) + x % 1000u;
    r = r * 31u + uint(sx / -3) + x / 641u;
    b[i] = r;
}
