#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, t[96];
    for (uint k = 0; k < 96; k++)
        t[k] = a[(i + k) & 4095] * (k + 1);
    uint at = i, sum = 0;
    for (uint k = 0; k < 64; k++) {
        at = t[at % 96] + k;
        t[(at >> 8) % 96] ^= at;
        sum += at;
    }
    b[i] = sum;
}
