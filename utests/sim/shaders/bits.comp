#version 450
/* Bit fields at offsets and of widths that are known at run time, zero among them. */
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], y = a[i ^ 6u];
    int offset = int(y & 31u), width = min(int((y >> 5) & 31u), 32 - offset), sx = int(x);
    uint r = bitfieldExtract(x, offset, width);
    r = r * 31u + uint(bitfieldExtract(sx, offset, width));
    r = r * 31u + bitfieldInsert(x, y, offset, width);
    r = r * 31u + uint(findMSB(sx));
    r = r * 31u + uint(findMSB(x >> offset));
    r = r * 31u + uint(findLSB(x << offset));
    r = r * 31u + uint(bitCount(x & y));
    r = r * 31u + bitfieldReverse(x >> offset);
    r = r * 31u + (x << offset | x >> (32 - offset & 31));
    int high, low;
    imulExtended(sx, int(y), high, low);
    r = r * 31u + uint(high);
    r = r * 31u + uint(low);
    b[i] = r;
}
