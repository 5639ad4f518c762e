#version 450
/* Lanes leave nested loops at different times, some by way of an inner one. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], r = 0;
    for (uint outer = 0; outer < (x & 15u); outer++) {
        uint k = x >> (outer & 7u), inner = 0;
        do {
            k = k * 5u + outer;
            if ((k & 0x70u) == 0x30u)
                break;
            for (uint n = k & 7u; n > 0u; n--) {
                if (((k >> n) & 3u) == 3u)
                    continue;
                r += n * (inner + 1u);
            }
            inner++;
        } while (inner < 6u + (x >> 29));
        if (inner == 9u)
            break;
        r = r * 3u + inner;
    }
    b[i] = r;
}
