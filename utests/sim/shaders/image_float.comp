#version 450
/* Four images read, mirrored into four others; what was read also goes to the buffer, as integers. */
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 1) buffer Out { uint o[]; };
layout(binding = 2, rgba8) readonly uniform image2D a0;
layout(binding = 3, rgba8) writeonly uniform image2D b0;
layout(binding = 4, rgba16f) readonly uniform image2D a1;
layout(binding = 5, rgba16f) writeonly uniform image2D b1;
layout(binding = 6, r32f) readonly uniform image2D a2;
layout(binding = 7, r32f) writeonly uniform image2D b2;
layout(binding = 8, rgba32f) readonly uniform image2D a3;
layout(binding = 9, rgba32f) writeonly uniform image2D b3;

void put(uint image, uint at, uvec4 v)
{
    for (int c = 0; c < 4; c++)
        o[(image * 512 + at) * 4 + c] = v[c];
}

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(a0);
    if (any(greaterThanEqual(p, size)))
        return;
    uint at = p.y * size.x + p.x;
    vec4 v;
    v = imageLoad(a0, p);
    put(0, at, uvec4(round(v * 255.0)));
    imageStore(b0, size - 1 - p, v);
    v = imageLoad(a1, p);
    put(1, at, floatBitsToUint(v));
    imageStore(b1, size - 1 - p, v);
    v = imageLoad(a2, p);
    put(2, at, floatBitsToUint(v));
    imageStore(b2, size - 1 - p, v);
    v = imageLoad(a3, p);
    put(3, at, floatBitsToUint(v));
    imageStore(b3, size - 1 - p, v);
}
