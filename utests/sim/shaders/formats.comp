#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) uniform sampler1D line;
layout(binding = 3) uniform usampler2D bytes;
layout(binding = 4) uniform isampler2D words;
layout(binding = 5) uniform usampler2D dwords;
layout(binding = 6) uniform usampler2D pairs;
layout(binding = 7) uniform sampler2D swizzled;
layout(binding = 8) uniform sampler2D bgra;
layout(binding = 9) uniform sampler2D halves;
layout(binding = 10) uniform sampler2D packed565;
layout(binding = 11) uniform sampler2D packed1010102;
layout(binding = 12) uniform sampler2D snorm;
layout(binding = 13) uniform sampler2D once;

uint mix4(uvec4 v)
{
    return ((v.x * 31 + v.y) * 31 + v.z) * 31 + v.w;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, at = i * 16;
    uvec2 n = uvec2(a[i], a[i + 1024]) >> 16 & 1023;
    vec2 c = vec2(n) / 512.0 - 0.5, p = c + 1.0 / 1024.0;
    ivec2 t = ivec2(n & uvec2(15, 7));
    b[at] = floatBitsToUint(textureLod(line, c.x, 0).x);
    b[at + 1] = mix4(textureLod(bytes, p, 0));
    b[at + 2] = mix4(uvec4(textureLod(words, p, 0)));
    b[at + 3] = mix4(textureLod(dwords, p, 0));
    b[at + 4] = mix4(textureLod(pairs, p, 0));
    b[at + 5] = mix4(floatBitsToUint(textureLod(swizzled, c, 0)));
    b[at + 6] = mix4(floatBitsToUint(texelFetch(bgra, t, 0)));
    b[at + 7] = mix4(floatBitsToUint(textureLod(halves, c, 0)));
    b[at + 8] = mix4(floatBitsToUint(texelFetch(packed565, t, 0)));
    b[at + 9] = mix4(floatBitsToUint(texelFetch(packed1010102, t, 0)));
    b[at + 10] = mix4(floatBitsToUint(texelFetch(snorm, t, 0)));
    b[at + 11] = mix4(textureGather(dwords, p, 2));
    b[at + 12] = floatBitsToUint(textureLod(once, c * 2.0, 0).z);
    b[at + 13] = floatBitsToUint(textureLodOffset(once, c, 0, ivec2(-5, 4)).z);
}
