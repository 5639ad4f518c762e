#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    double x = double(a[i] & 0xffffu) + 0.25LF, y = double(int(a[i ^ 5u]) >> 8);
    double z = x * y + x;
    if (z > 0.0LF)
        z = z - 1.5LF * x;
    else
        z = y - z;
    double m = max(min(x, y), -100.5LF);
    uvec2 u = unpackDouble2x32(z + m);
    uint r = u.x * 31u + u.y;
    r = r * 31u + uint(int(z * 0.00006103515625LF));
    r = r * 31u + floatBitsToUint(float(z));
    r = r * 31u + (x < y ? 1u : 0u) + (z == 0.0LF ? 2u : 0u);
    b[i] = r;
}
