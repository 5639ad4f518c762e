#version 450
/* More values alive than there are registers. */
layout(local_size_x = 16) in;
layout(binding = 0) buffer A { uvec4 a[]; };
layout(binding = 1) buffer B { uvec4 b[]; };
#define N 72
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uvec4 v[N];
    for (int k = 0; k < N; k++)
        v[k] = a[(i * 3u + uint(k) * 7u) & 1023u];
    for (int n = 0; n < 3; n++) {
        for (int k = 0; k < N; k++)
            v[k] = v[k] * 5u + v[(k + 1) % N].yzwx;
        for (int k = N - 1; k > 0; k--)
            v[k] ^= v[(k * 5) % N] >> uint(k % 31);
    }
    uvec4 sum = uvec4(0u);
    for (int k = 0; k < N; k++)
        sum = sum * 3u + v[k];
    b[i] = sum;
}
