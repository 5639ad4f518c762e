#version 450
/* image_levels for images of another dimension: their first slices. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 1) buffer Out { uint o[]; };
layout(binding = 2, r32ui) uniform uimage3D l0;
layout(binding = 3, r32ui) uniform uimage3D l1;
layout(binding = 4, r32ui) uniform uimage3D l2;

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    uint at = p.y * 64 + p.x;
    if (all(lessThan(p, imageSize(l0).xy))) {
        o[at] = imageLoad(l0, ivec3(p, 0)).x;
        imageStore(l0, ivec3(p, 0), uvec4(1000 + at));
    }
    if (all(lessThan(p, imageSize(l1).xy))) {
        o[4096 + at] = imageLoad(l1, ivec3(p, 0)).x;
        imageStore(l1, ivec3(p, 0), uvec4(200000 + at));
    }
    if (all(lessThan(p, imageSize(l2).xy))) {
        o[8192 + at] = imageLoad(l2, ivec3(p, 0)).x;
        imageStore(l2, ivec3(p, 0), uvec4(3000000 + at));
    }
}
