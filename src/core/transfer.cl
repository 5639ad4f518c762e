/* Copies and fills of boxes of bytes on the GPU (builtin.h): the driver's own kernels, compiled when it is built.
 *
 * A work-item has 16 bytes of a row of the target, from a multiple of 16 on. Only those at the ends of a row, which
 * the box has in part, are written byte by byte. Offsets and pitches are in bytes; n is the bytes of a row. */

kernel void copy(global uchar *dst, uint d, uint d_row, uint d_slice, uint n, global const uchar *src, uint s,
                 uint s_row, uint s_slice)
{
    uint row = get_global_id(1), slice = get_global_id(2);
    d += row * d_row + slice * d_slice;
    s += row * s_row + slice * s_slice;
    uint at = (d & ~15u) + (uint)get_global_id(0) * 16, end = d + n;
    if (at >= d && at + 16 <= end) {
        uint from = s + (at - d), shift = (from & 3) * 8;
        global const uint *p = (global const uint *)(src + (from & ~3u));
        uint4 v = vload4(0, p);
        if (shift) /* the source's bytes lie across its dwords */
            v = v >> shift | (uint4)(v.yzw, p[4]) << (32 - shift);
        vstore4(v, 0, (global uint *)(dst + at));
        return;
    }
    uint first = max(at, d), last = min(at + 16, end);
    for (uint i = first; i < last; i++)
        dst[i] = src[s + (i - d)];
}

/* Byte i of the target becomes byte i % 16 of `v`, in every `step`-th 16 bytes; step is 16 unless the box is whole
 * sixteens. */
kernel void fill(global uchar *dst, uint d, uint d_row, uint d_slice, uint n, uint step, uint4 v)
{
    d += (uint)get_global_id(1) * d_row + (uint)get_global_id(2) * d_slice;
    uint at = (d & ~15u) + (uint)get_global_id(0) * step, end = d + n;
    if (at >= d && at + 16 <= end) {
        vstore4(v, 0, (global uint *)(dst + at));
        return;
    }
    uint first = max(at, d), last = min(at + 16, end);
    for (uint i = first; i < last; i++) {
        uint2 part = i & 8 ? v.zw : v.xy;
        dst[i] = (uchar)((i & 4 ? part.y : part.x) >> (i & 3) * 8);
    }
}
