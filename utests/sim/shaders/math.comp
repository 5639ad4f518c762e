#version 450
/* The functions of the math unit, each result stored: the host knows how near they must come. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) buffer C { float c[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    float x = float(a[i] >> 8) * (8.0 / 16777216.0) + 0.0625; /* 1/16 .. 8 */
    c[i * 8u] = sqrt(x);
    c[i * 8u + 1u] = inversesqrt(x);
    c[i * 8u + 2u] = exp2(x - 4.0);
    c[i * 8u + 3u] = log2(x);
    c[i * 8u + 4u] = sin(x - 4.0);
    c[i * 8u + 5u] = cos(x - 4.0);
    c[i * 8u + 6u] = pow(x, 1.75);
    c[i * 8u + 7u] = 3.0 / x;
}
