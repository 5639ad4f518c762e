#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { uint m, n, width, shift; };
void main()
{
    uint i = gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x;
    b[i] = (a[i] * m + n) ^ (gl_WorkGroupID.x << shift) ^ (gl_WorkGroupID.y << 28);
}
