#version 450
/* Blocks of matrices through shared memory; vectors of four; all numbers small integers. */
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared float ta[16][16], tb[16][16];
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, n = gl_NumWorkGroups.x * 16u;
    uvec2 l = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint k = 0u; k < n; k += 16u) {
        ta[l.y][l.x] = float(a[y * n + k + l.x] >> 24);
        tb[l.y][l.x] = float(a[(k + l.y) * n + x] & 127u);
        memoryBarrierShared();
        barrier();
        for (uint m = 0u; m < 16u; m++)
            sum += ta[l.y][m] * tb[m][l.x];
        memoryBarrierShared();
        barrier();
    }
    b[y * n + x] = uint(sum);
}
