#version 450
/* Images of other dimensions: read, mirrored into others of the same shape. */
layout(local_size_x = 8, local_size_y = 2, local_size_z = 2) in;
layout(binding = 1) buffer Out { uint o[]; };
layout(binding = 2, r32ui) readonly uniform uimage1D a0;
layout(binding = 3, r32ui) writeonly uniform uimage1D b0;
layout(binding = 4, r32ui) readonly uniform uimage1DArray a1;
layout(binding = 5, r32ui) writeonly uniform uimage1DArray b1;
layout(binding = 6, r32ui) readonly uniform uimage2DArray a2;
layout(binding = 7, r32ui) writeonly uniform uimage2DArray b2;
layout(binding = 8, r32ui) readonly uniform uimage3D a3;
layout(binding = 9, r32ui) writeonly uniform uimage3D b3;

void main()
{
    ivec3 p = ivec3(gl_GlobalInvocationID), size = imageSize(a3);
    if (any(greaterThanEqual(p, size)))
        return;
    ivec3 q = size - 1 - p;
    uint at = (p.z * size.y + p.y) * size.x + p.x, v;
    o[at] = v = imageLoad(a3, p).x;
    imageStore(b3, q, uvec4(v));
    o[2048 + at] = v = imageLoad(a2, p).x;
    imageStore(b2, q, uvec4(v));
    if (p.z == 0) {
        int layers = imageSize(a1).y;
        if (p.y < layers) {
            o[4096 + at] = v = imageLoad(a1, p.xy).x;
            imageStore(b1, ivec2(q.x, layers - 1 - p.y), uvec4(v));
        }
        if (p.y == 0) {
            o[6144 + at] = v = imageLoad(a0, p.x).x;
            imageStore(b0, q.x, uvec4(v));
        }
    }
    if (at == 0) {
        o[8192] = imageSize(a0);
        o[8193] = imageSize(a1).x;
        o[8194] = imageSize(a1).y;
        o[8195] = imageSize(a2).x;
        o[8196] = imageSize(a2).y;
        o[8197] = imageSize(a2).z;
        o[8198] = size.x;
        o[8199] = size.y;
        o[8200] = size.z;
    }
}
