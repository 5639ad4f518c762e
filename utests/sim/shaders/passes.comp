#version 450
/* One phase of a bitonic sort of all 4,096 numbers: the next dispatch sees what this one wrote. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { uint k, j; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (k == 0u) {
        b[i] = a[i] ^ (a[i] << 9);
        return;
    }
    uint other = i ^ j;
    if (other > i && ((b[i] > b[other]) == ((i & k) == 0u))) {
        uint t = b[i];
        b[i] = b[other];
        b[other] = t;
    }
}
