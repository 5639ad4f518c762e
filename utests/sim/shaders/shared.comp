#version 450
layout(local_size_x = 256) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[256];
void main()
{
    uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
    s[255 - l] = a[i];
    memoryBarrierShared();
    barrier();
    uint reversed = s[l];
    memoryBarrierShared();
    barrier();
    s[l] = a[i];
    for (uint n = 128; n > 0; n /= 2) {
        memoryBarrierShared();
        barrier();
        if (l < n)
            s[l] += s[l + n];
    }
    memoryBarrierShared();
    barrier();
    b[i] = reversed ^ s[0];
}
