#version 450
/* Group size, a trip count, a branch and an array's size from specialisation constants. */
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint rounds = 1u;
layout(constant_id = 3) const bool flip = false;
layout(constant_id = 4) const int size = 2;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint width = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint i = gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x, x = a[i], t[size];
    for (int k = 0; k < size; k++)
        t[k] = x >> k;
    for (uint k = 0u; k < rounds; k++)
        x = x * 1664525u + t[(x >> 16) % uint(size)];
    b[i] = flip ? ~x : x;
}
