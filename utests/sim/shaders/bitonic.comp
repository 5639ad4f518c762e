#version 450
/* Each group sorts its 1,024 numbers in shared memory: 55 phases. */
layout(local_size_x = 1024) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[1024];
void main()
{
    uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
    s[l] = a[i] ^ (a[i] << 7);
    for (uint k = 2u; k <= 1024u; k *= 2u) {
        for (uint j = k / 2u; j > 0u; j /= 2u) {
            memoryBarrierShared();
            barrier();
            uint other = l ^ j;
            if (other > l && ((s[l] > s[other]) == ((l & k) == 0u))) {
                uint t = s[l];
                s[l] = s[other];
                s[other] = t;
            }
        }
    }
    memoryBarrierShared();
    barrier();
    b[i] = s[l];
}
