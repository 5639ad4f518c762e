#version 450
/* switch in a loop in a switch; breaks, continues and returns from within. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
uint step(uint op, uint x, uint k)
{
    switch (op) {
    case 0u:
        return x + k;
    case 1u:
        if ((x & 1u) != 0u)
            return x ^ 0x55u;
        /* falls through */
    case 2u:
        for (uint n = 0u; n < 4u; n++) {
            switch ((x >> n) & 3u) {
            case 0u:
                continue;
            case 1u:
                x += n;
                break;
            case 2u:
                return x * 7u;
            default:
                x ^= k;
            }
            if ((x & 64u) != 0u)
                break;
        }
        break;
    case 5u:
        if (x > 0x80000000u) {
            if (x > 0xc0000000u) {
                if ((x & 2u) != 0u)
                    return 1u;
                x -= 3u;
            } else if ((x & 4u) != 0u) {
                x += 5u;
            }
        } else {
            return x << 1;
        }
        break;
    default:
        x = x * 3u + op;
    }
    return x + 1u;
}
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i];
    if (x % 13u == 5u)
        return;
    for (uint k = 0u; k < 20u; k++) {
        x = step((x >> 3) & 7u, x, k);
        if ((x & 0xff0u) == 0x120u)
            break;
    }
    b[i] = x;
}
