#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = a[i] % 1000, steps = 0, sum = 0;
    if (n % 17 == 3) {
        b[i] = 0xdead;
        return;
    }
    while (n > 1) {
        n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
        steps++;
        if (steps > 100)
            break;
        for (uint k = 0; k < 8; k++) {
            if (((n + k) & 3) == 0)
                continue;
            if (k == (steps & 7))
                break;
            sum += k;
        }
    }
    b[i] = steps * 65536 + (sum & 0xffff);
}
