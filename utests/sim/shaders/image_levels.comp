#version 450
/* Three levels of one image, each through a view of its own. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 1) buffer Out { uint o[]; };
layout(binding = 2, r32ui) uniform uimage2D l0;
layout(binding = 3, r32ui) uniform uimage2D l1;
layout(binding = 4, r32ui) uniform uimage2D l2;

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    uint at = p.y * 64 + p.x;
    if (all(lessThan(p, imageSize(l0)))) {
        o[at] = imageLoad(l0, p).x;
        imageStore(l0, p, uvec4(1000 + at));
    }
    if (all(lessThan(p, imageSize(l1)))) {
        o[4096 + at] = imageLoad(l1, p).x;
        imageStore(l1, p, uvec4(200000 + at));
    }
    if (all(lessThan(p, imageSize(l2)))) {
        o[8192 + at] = imageLoad(l2, p).x;
        imageStore(l2, p, uvec4(3000000 + at));
    }
}
