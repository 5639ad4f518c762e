#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) uniform sampler1D line;
layout(binding = 3) uniform sampler1DArray lines;
layout(binding = 4) uniform sampler2D repeated;
layout(binding = 5) uniform sampler2D bordered;
layout(binding = 6) uniform sampler2DArray layers;
layout(binding = 7) uniform sampler3D volume;
layout(binding = 8) uniform usampler2D bytes;
layout(binding = 9) uniform sampler2DShadow shadow;
layout(binding = 10) uniform sampler2D texels;

uint pack(vec4 v)
{
    uvec4 u = uvec4(v);
    return u.x | u.y << 8 | u.z << 16 | u.w << 24;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, at = i * 16;
    uvec3 n = uvec3(a[i], a[i + 1024], a[i + 2048]) >> 16 & 1023;
    vec3 c = vec3(n) / 512.0 - 0.5; // on the grid, where linear filters are exact
    vec3 p = c + 1.0 / 1024.0;      // beside it, where nearest ones are
    float layer = float(i % 8) - 1.7;
    float reference = float(n.z & 63);
    b[at] = floatBitsToUint(textureLod(line, c.x, 0).x);
    b[at + 1] = floatBitsToUint(textureLod(lines, vec2(p.x, layer), 0).y);
    b[at + 2] = floatBitsToUint(textureLod(repeated, c.xy, 0).z);
    b[at + 3] = floatBitsToUint(textureLod(bordered, p.xy, 0).w);
    b[at + 4] = floatBitsToUint(textureLod(layers, vec3(c.xy, layer), 0).x);
    b[at + 5] = floatBitsToUint(textureLod(volume, c, 0).y);
    uvec4 u = textureLod(bytes, p.xy, 0);
    b[at + 6] = u.x | u.y << 8 | u.z << 16 | u.w << 24;
    b[at + 7] = floatBitsToUint(texelFetch(volume, ivec3(n & uvec3(15, 7, 3)), 0).z);
    b[at + 8] = pack(textureGather(repeated, c.xy, 1));
    b[at + 9] = floatBitsToUint(textureLodOffset(repeated, c.xy, 0, ivec2(3, -2)).x);
    b[at + 10] = floatBitsToUint(textureLod(shadow, vec3(c.xy, reference), 0));
    b[at + 11] = pack(textureGather(shadow, c.xy, reference));
    ivec3 s3 = textureSize(volume, 0), sa = textureSize(layers, 0);
    ivec2 s2 = textureSize(bytes, 0), sl = textureSize(lines, 0);
    b[at + 12] = uint(((((((s3.x * 31 + s3.y) * 31 + s3.z) * 31 + sa.x) * 31 + sa.y) * 31 + sa.z) * 31 + s2.x) * 31 + s2.y);
    b[at + 13] = uint(((sl.x * 31 + sl.y) * 31 + textureSize(line, 0)) * 31 + textureQueryLevels(repeated));
    b[at + 14] = pack(textureGatherOffset(repeated, c.xy, ivec2(int(i & 7) - 4, int(i >> 3 & 7) - 4), 2));
    b[at + 15] = floatBitsToUint(textureLod(texels, vec2(n.xy) / 32.0 - 8.0, 0).x);
}
