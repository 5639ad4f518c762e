#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], y = a[i ^ 5] | 1, hi, lo, carry, borrow;
    int sx = int(x), sy = int(y);
    uint r = x / y + 3 * (x % y);
    r = r * 31 + uint(sx / 7);
    r = r * 31 + uint(abs(sx) & 0xffff);
    umulExtended(x, y, hi, lo);
    r = r * 31 + hi;
    r = r * 31 + lo;
    r = r * 31 + uaddCarry(x, y, carry) + carry;
    r = r * 31 + usubBorrow(x, y, borrow) + borrow;
    r = r * 31 + bitfieldReverse(x);
    r = r * 31 + uint(bitCount(x));
    r = r * 31 + uint(findMSB(y));
    r = r * 31 + uint(findLSB(y));
    r = r * 31 + bitfieldExtract(x, 5, 11);
    r = r * 31 + bitfieldInsert(x, y, 7, 9);
    r = r * 31 + uint(min(sx, sy)) + max(x, y);
    r = r * 31 + uint(sx >> (y & 31)) + (x << (y & 31)) + (x >> (y & 31));
    b[i] = r;
}
