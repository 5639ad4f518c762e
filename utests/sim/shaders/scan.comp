#version 450
/* A work-efficient exclusive sum: up and down a tree, a barrier at each level. */
layout(local_size_x = 512) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[1024];
void main()
{
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 1024u;
    s[2u * l] = a[base + 2u * l];
    s[2u * l + 1u] = a[base + 2u * l + 1u];
    uint stride = 1u;
    for (uint n = 512u; n > 0u; n >>= 1) {
        memoryBarrierShared();
        barrier();
        if (l < n)
            s[stride * (2u * l + 2u) - 1u] += s[stride * (2u * l + 1u) - 1u];
        stride <<= 1;
    }
    if (l == 0u)
        s[1023] = 0u;
    for (uint n = 1u; n < 1024u; n <<= 1) {
        stride >>= 1;
        memoryBarrierShared();
        barrier();
        if (l < n) {
            uint left = stride * (2u * l + 1u) - 1u, right = stride * (2u * l + 2u) - 1u;
            uint t = s[left];
            s[left] = s[right];
            s[right] += t;
        }
    }
    memoryBarrierShared();
    barrier();
    b[base + 2u * l] = s[2u * l];
    b[base + 2u * l + 1u] = s[2u * l + 1u];
}
