#version 450
/* image_levels for images of another dimension. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 1) buffer Out { uint o[]; };
layout(binding = 2, r32ui) uniform uimage1D l0;
layout(binding = 3, r32ui) uniform uimage1D l1;
layout(binding = 4, r32ui) uniform uimage1D l2;

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    uint at = p.y * 64 + p.x;
    if (p.x < imageSize(l0) && p.y == 0) {
        o[at] = imageLoad(l0, p.x).x;
        imageStore(l0, p.x, uvec4(1000 + at));
    }
    if (p.x < imageSize(l1) && p.y == 0) {
        o[4096 + at] = imageLoad(l1, p.x).x;
        imageStore(l1, p.x, uvec4(200000 + at));
    }
    if (p.x < imageSize(l2) && p.y == 0) {
        o[8192 + at] = imageLoad(l2, p.x).x;
        imageStore(l2, p.x, uvec4(3000000 + at));
    }
}
