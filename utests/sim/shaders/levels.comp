#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) uniform sampler2D smooth_levels;
layout(binding = 3) uniform sampler2D near_levels;
layout(binding = 4, rgba32f) uniform writeonly image2D level0;
layout(binding = 5, rgba32f) uniform writeonly image2D level1;
layout(binding = 6, rgba32f) uniform writeonly image2D level2;
layout(binding = 7, rgba32f) uniform writeonly image2D level3;
layout(push_constant) uniform P { uint pass; };

vec4 texel(uint x, uint y, uint z)
{
    return vec4((uvec4(x * 7 + y * 13 + z * 29) + uvec4(0, 5, 10, 15)) % 64);
}

void main()
{
    uint i = gl_GlobalInvocationID.x, x = i & 15, y = i >> 4 & 15;
    if (pass == 0) {
        ivec2 at = ivec2(x, y);
        if (i < 256) {
            imageStore(level0, at, texel(x, y, 0));
            if (x < 8 && y < 8)
                imageStore(level1, at, texel(x, y, 1));
            if (x < 4 && y < 4)
                imageStore(level2, at, texel(x, y, 2));
            if (x < 2 && y < 2)
                imageStore(level3, at, texel(x, y, 3));
        }
        return;
    }
    vec2 c = vec2(uvec2(a[i], a[i + 1024]) >> 16 & 255) / 128.0 - 0.5;
    float lod = float(i % 40) / 8.0 - 0.5;
    b[i * 8] = floatBitsToUint(textureLod(smooth_levels, c, lod).x);
    b[i * 8 + 1] = floatBitsToUint(textureLod(near_levels, c + 1.0 / 512.0, lod + 0.0625).y);
    b[i * 8 + 2] = floatBitsToUint(texelFetch(near_levels, ivec2(x, y) >> 3, int(i % 4)).z);
    ivec2 size = textureSize(smooth_levels, int(i % 4));
    b[i * 8 + 3] = uint(size.x * 1000 + size.y * 10 + textureQueryLevels(smooth_levels));
    // Steps of 1, 2, 4, 8 texels of level 0: levels 0 to 3.
    float texels = float(1 << (i & 3)) / 16.0;
    vec2 dx = (i & 4) != 0 ? vec2(texels, 0) : vec2(0, texels / 4.0);
    vec2 dy = (i & 4) != 0 ? vec2(0, texels / 2.0) : vec2(0, texels);
    b[i * 8 + 4] = floatBitsToUint(textureGrad(near_levels, c + 1.0 / 512.0, dx, dy).w);
}
