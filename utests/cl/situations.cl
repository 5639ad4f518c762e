/* Situations that compilers and drivers are known to get wrong, by public reports. Every kernel has
 * the arguments (out, in, n); situations.c says what it must write. */

/* Guards: products with negative constants of ids, whose range the compiler knows. */
kernel void guards(global uint *out, global const uint *in, int n)
{
    uint i = get_global_id(0), r = 0;
    int l = (int)get_local_id(0), g = (int)get_global_id(0), s = (int)get_local_size(0);
    if ((int)get_local_id(0) * -1 + n >= 0) r |= 1;
    if ((int)get_local_id(0) * -1 + n > 0) r |= 2;
    if (l * -3 + n >= 0) r |= 4;
    if (n - g < 0) r |= 8;
    if (-g <= -n) r |= 16;
    if (get_local_id(0) * -1 + (uint)n < 1000u) r |= 32;
    if (g - s * 2 - n < 0) r |= 64;
    if ((l - n) * -2 >= 4) r |= 128;
    if ((uint)l - 5u > 0x80000000u) r |= 256;
    if ((long)g * -1 + n >= 0) r |= 512;
    if ((short)l * (short)-1 + (short)n >= 0) r |= 1024;
    if (~l + n >= 0) r |= 2048;
    out[i] = r;
}

/* Trees whose active items are found by a remainder. */
kernel void tree(global int *out, global const int *in, int n)
{
    local int low[256], high[256];
    int l = get_local_id(0);
    low[l] = high[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < (int)get_local_size(0); step *= 2) {
        if (l % (2 * step) == 0) {
            low[l] = min(low[l], low[l + step]);
            high[l] = max(high[l], high[l + step]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        out[get_group_id(0) * 2] = low[0];
        out[get_group_id(0) * 2 + 1] = high[0];
    }
}

/* A cell that item 0 resets and at most one item of a range writes. */
kernel void cell(global int *out, global const int *in, int n)
{
    local int found;
    int l = get_local_id(0), i = get_global_id(0), sum = 0;
    for (int r = 0; r < n; r++) {
        if (l == 0)
            found = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= r * 16 && l < (r + 1) * 16 && (in[i - l + r] & 31) == (l & 15))
            found = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 3 + found;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

/* Keccak-f[1600], FIPS 202, in lanes of 64 bits and in pairs of 32. */
constant ulong keccak_round[24] = {
    0x0000000000000001UL, 0x0000000000008082UL, 0x800000000000808AUL, 0x8000000080008000UL,
    0x000000000000808BUL, 0x0000000080000001UL, 0x8000000080008081UL, 0x8000000000008009UL,
    0x000000000000008AUL, 0x0000000000000088UL, 0x0000000080008009UL, 0x000000008000000AUL,
    0x000000008000808BUL, 0x800000000000008BUL, 0x8000000000008089UL, 0x8000000000008003UL,
    0x8000000000008002UL, 0x8000000000000080UL, 0x000000000000800AUL, 0x800000008000000AUL,
    0x8000000080008081UL, 0x8000000000008080UL, 0x0000000080000001UL, 0x8000000080008008UL};
constant int keccak_turn[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
constant int keccak_lane[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};

void keccak_long(ulong *s)
{
    ulong b[5], t;
    for (int r = 0; r < 24; r++) {
        for (int x = 0; x < 5; x++)
            b[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
        for (int x = 0; x < 5; x++) {
            t = b[(x + 4) % 5] ^ rotate(b[(x + 1) % 5], 1UL);
            for (int y = 0; y < 25; y += 5)
                s[x + y] ^= t;
        }
        t = s[1];
#pragma unroll
        for (int k = 0; k < 24; k++) {
            ulong next = s[keccak_lane[k]];
            s[keccak_lane[k]] = rotate(t, (ulong)keccak_turn[k]);
            t = next;
        }
        for (int y = 0; y < 25; y += 5) {
            for (int x = 0; x < 5; x++)
                b[x] = s[y + x];
            for (int x = 0; x < 5; x++)
                s[y + x] = b[x] ^ (~b[(x + 1) % 5] & b[(x + 2) % 5]);
        }
        s[0] ^= keccak_round[r];
    }
}

/* 0 < n < 64, n != 32 */
uint2 turn_pair(uint2 v, int n)
{
    if (n > 32) {
        v = v.yx;
        n -= 32;
    }
    return (uint2)(v.x << n | v.y >> (32 - n), v.y << n | v.x >> (32 - n));
}

void keccak_pair(uint2 *s)
{
    uint2 b[5], t;
    for (int r = 0; r < 24; r++) {
        for (int x = 0; x < 5; x++)
            b[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
        for (int x = 0; x < 5; x++) {
            t = b[(x + 4) % 5] ^ turn_pair(b[(x + 1) % 5], 1);
            for (int y = 0; y < 25; y += 5)
                s[x + y] ^= t;
        }
        t = s[1];
#pragma unroll
        for (int k = 0; k < 24; k++) {
            uint2 next = s[keccak_lane[k]];
            s[keccak_lane[k]] = turn_pair(t, keccak_turn[k]);
            t = next;
        }
        for (int y = 0; y < 25; y += 5) {
            for (int x = 0; x < 5; x++)
                b[x] = s[y + x];
            for (int x = 0; x < 5; x++)
                s[y + x] = b[x] ^ (~b[(x + 1) % 5] & b[(x + 2) % 5]);
        }
        s[0] ^= as_uint2(keccak_round[r]);
    }
}

kernel void keccak(global ulong *out, global const ulong *in, int n)
{
    int i = get_global_id(0), m = get_global_size(0);
    ulong a[25], s = 0;
    uint2 b[25];
    for (int k = 0; k < 25; k++) {
        a[k] = in[(i % 3) * 25 + k];
        b[k] = as_uint2(a[k]);
    }
    for (int step = 0; step < n; step++) {
        keccak_long(a);
        keccak_pair(b);
        a[step % 25] ^= i;
        b[step % 25].x ^= i;
    }
    for (int k = 0; k < 25; k++) {
        out[k * m + i] = a[k];
        out[(25 + k) * m + i] = as_ulong(b[k]);
    }
}

/* An event that is waited for under a condition, in a loop. */
kernel void waits(global int *out, global const int *in, int n)
{
    local int tile[2][64];
    int l = get_local_id(0), base = get_group_id(0) * 64 * n, sum = 0;
    event_t e = async_work_group_copy(tile[0], in + base, 64, 0);
    for (int t = 0; t < n; t++) {
        if (t % 2 == 0) {
            wait_group_events(1, &e);
            if (t + 1 < n)
                e = async_work_group_copy(tile[1], in + base + (t + 1) * 64, 64, 0);
        } else {
            wait_group_events(1, &e);
            if (t + 1 < n)
                e = async_work_group_copy(tile[0], in + base + (t + 1) * 64, 64, 0);
        }
        sum = sum * 5 + tile[t & 1][(l * 7 + t) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

/* Private arrays that a loop clears, indexed by what memory holds. */
kernel void cleared(global uint *out, global const uint *in, int n)
{
    int i = get_global_id(0);
    uint count[16];
    uchar small[33];
    ulong wide[9];
    float4 v[5];
    for (int k = 0; k < 16; k++)
        count[k] = 0;
    for (int k = 0; k < 33; k++)
        small[k] = 0;
    for (int k = 0; k < 9; k++)
        wide[k] = 0;
    for (int k = 0; k < 5; k++)
        v[k] = 0;
    for (int k = 0; k < n; k++) {
        uint x = in[(i + k * 37) & 255];
        count[x & 15]++;
        small[x % 33] += x >> 3;
        wide[x % 9] += (ulong)x * x;
        v[x % 5].y += (float)(x & 7);
    }
    uint r = 0;
    for (int k = 0; k < 16; k++)
        r = r * 3 + count[k];
    for (int k = 0; k < 33; k++)
        r = r * 3 + small[k];
    for (int k = 0; k < 9; k++)
        r = r * 3 + (uint)(wide[k] >> 20);
    for (int k = 0; k < 5; k++)
        r = r * 3 + (uint)(v[k].x + v[k].y + v[k].z + v[k].w);
    out[i] = r;
}

/* Reinterpreted bits that are converted before or after. */
kernel void reinterpreted(global ulong *out, global const float *in, int n)
{
    int i = get_global_id(0), c = (char)i;
    float x = in[i & 255];
    global ulong *o = out + i * 10;
    o[0] = as_uint(x);
    o[1] = as_int(x);
    o[2] = as_uint(c > 0 ? 1.0f : c);
    float f = as_uint(x);
    o[3] = as_uint(f);
    uchar b = as_uint(x);
    o[4] = b;
    o[5] = as_uint(x + i);
    o[6] = as_int(x) / 3 + as_uint(x) / 3u;
    o[7] = as_ushort2(x).y + as_char4(as_uint(x)).x;
    o[8] = as_ulong((uint2)(as_uint(x), as_int(-x)));
    o[9] = as_uint(as_float(as_int(x) & 0x7fffffff) * 2);
}

/* Atomics in loops whose bounds come from memory. */
kernel void atomic_nest(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    for (int a = 0; a < (in[i & 255] & 7); a++) {
        for (int b = a; b < n + (i & 3); b++) {
            global int *p = out + ((a * 5 + b) & 15);
            int seen = *p, was;
            while ((was = atomic_cmpxchg(p, seen, seen + i + b)) != seen)
                seen = was;
            for (int c = 0; c < (b & 3); c++)
                atomic_xor(out + 16 + c, i * (a + 1));
        }
        if (a == 5)
            break;
    }
}

kernel __attribute__((reqd_work_group_size(10, 1, 1))) void ten(global int *out,
                                                                global const int *in, int n)
{
    local int turn;
    int l = get_local_id(0);
    if (l == 0)
        turn = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        int seen = atomic_or(out, 0), was;
        while ((was = atomic_cmpxchg(out, seen, seen + in[l])) != seen)
            seen = was;
        for (int old = 0, next; (next = atomic_cmpxchg(&turn, old, old + l)) != old; old = next)
            ;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 9)
        atomic_add(out + 1, turn * (int)get_local_size(0));
}

/* Aggregates, by value and in each address space. */
struct __attribute__((packed)) tight { char c; ulong l; short s; float f; };
union word { uint u; uchar b[4]; float f; struct { ushort lo, hi; } h; };
struct inner { char tag; union word w; struct tight t; };
struct outer { struct inner in[2]; short3 v; char last; };

constant struct outer fixed = {
    {{1, {0x40490fdb}, {2, 0x1122334455667788UL, -3, 0.5f}}, {4, {77}, {5, 6, 7, 8.0f}}},
    (short3)(9, 10, 11),
    12};

struct inner swapped(struct inner x, union word w)
{
    struct inner r = x;
    r.w = w;
    r.t.s = (short)(x.t.s + x.tag);
    r.t.l = x.t.l ^ w.u;
    return r;
}

uint folded(struct outer o)
{
    uint r = 0;
    for (int k = 0; k < 2; k++) {
        r = r * 31 + (uchar)o.in[k].tag;
        r = r * 31 + o.in[k].w.u;
        r = r * 31 + o.in[k].w.b[1] + o.in[k].w.h.hi;
        r = r * 31 + (uchar)o.in[k].t.c;
        r = r * 31 + (uint)o.in[k].t.l + (uint)(o.in[k].t.l >> 32);
        r = r * 31 + (ushort)o.in[k].t.s;
        r = r * 31 + as_uint(o.in[k].t.f);
    }
    return ((r * 31 + (ushort)o.v.x) * 31 + (ushort)o.v.y * 7 + (ushort)o.v.z) * 31 +
           (uchar)o.last;
}

kernel void aggregates(global struct outer *out, global const uint *in, int n)
{
    local struct outer shared[16];
    int i = get_global_id(0), l = get_local_id(0);
    struct outer mine = fixed, pick[3];
    union word w;
    w.u = in[i & 255];
    mine.in[i & 1] = swapped(mine.in[~i & 1], w);
    mine.in[0].w.b[i & 3] = 0xee;
    mine.v.y = (short)folded(mine);
    shared[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; k++) {
        pick[k] = shared[(l + k + 1) & 15];
        pick[k].last = (char)k;
    }
    mine = pick[w.u % 3];
    mine.in[1].w.f = (float)(folded(mine) >> 8);
    out[i].in[0] = mine.in[0];
    out[i].in[1] = mine.in[1];
    out[i].v = mine.v;
    out[i].last = mine.last;
}

/* Vectors of three: 16 bytes in memory, 12 by vload3 and vstore3. */
struct three { char3 c; int3 i; uchar last; };
constant int3 three_table[3] = {(int3)(1, 2, 3), (int3)(4, 5, 6), (int3)(7, 8, 9)};

int3 rolled(int3 v, short3 w)
{
    return v.yzx + convert_int3(w);
}

kernel void threes(global int *out, global const int3 *in, int n)
{
    local int3 shared[16];
    local short flat[48];
    int i = get_global_id(0), l = get_local_id(0);
    int3 a = in[i & 63], list[4];
    vstore3(convert_short3(a), l, flat);
    shared[l] = rolled(a, (short3)(1, -2, (short)n));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
        list[k] = shared[(l + k * 3) & 15] * three_table[k % 3];
    struct three t = {convert_char3(a), list[a.x & 3], (uchar)i};
    struct three u[2];
    u[i & 1] = t;
    u[~i & 1] = (struct three){(char3)(1), a.zyx, 9};
    int3 r = u[a.y & 1].i + convert_int3(u[a.z & 1].c) + convert_int3(vload3((l + 5) & 15, flat));
    r.xz += any(a < 0) ? (int2)(100, 200) : (int2)(3, 4);
    r = select(r, r - 1, a > list[1]);
    r.y += (int)sizeof(struct three) + u[a.y & 1].last;
    vstore3(r, i, out);
}

/* Flow that lanes leave at different places. */
kernel void flow(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), x = in[i & 255], r = 0, k = 0, turns = 0;
again:
    switch ((x >> k) & 7) {
    case 0:
        r += 1;
    case 3:
        r = r * 3 + k;
        if (r & 4)
            goto low;
        break;
    case 1:
        do {
            r += 5;
    case 2:
            r ^= k;
            if (r % 7 == 3)
                goto next;
        } while (r % 5 && ++turns < 40);
        break;
    case 5:
        if (k > n)
            goto end;
        r += 2;
        goto next;
    default:
        r -= 11;
    low:
        r ^= 0x55;
    case 6:
        r++;
    }
    r += 100;
next:
    if (++k < 20)
        goto again;
end:
    out[i] = r;
}

/* A loop with two entries. */
kernel void entries(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), x = in[i & 255] & 0xffff, r = 0;
    if (x & 1)
        goto second;
first:
    r += x;
    x /= 3;
    if (x == 0)
        goto end;
second:
    r = r * 2 + 1;
    x -= (x & 3) + 1;
    if (x > n)
        goto first;
    if (x > 0)
        goto second;
end:
    out[i] = r;
}

/* Barriers in loops and branches that all items take alike. */
kernel void barriers(global int *out, global const int *in, int n)
{
    local int a[2][128];
    int l = get_local_id(0), m = get_local_size(0), i = get_global_id(0);
    a[0][l] = in[i & 255] & 0xff;
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = a[k & 1][(l + k) % m];
        if (n > 3 && (k & 1)) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int j = 0; j < (in[0] & 3); j++) {
                a[k & 1][l] = v + j;
                barrier(CLK_LOCAL_MEM_FENCE);
                v += a[k & 1][m - 1 - l];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        a[~k & 1][l] = v * 3 + l;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[n & 1][(l + 1) % m];
}

/* As many items as the device has in a group. */
kernel void full_group(global uint *out, global const uint *in, int n)
{
    local uint a[1024];
    uint l = get_local_id(0), m = get_local_size(0);
    a[l] = in[l & 255] + l;
    for (uint s = 1; s < m; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint v = l >= s ? a[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] += v;
    }
    out[get_global_id(0)] = a[l];
}

/* All of the local memory of the generations: 64 KiB. */
kernel void full_local(global uint *out, global const uint *in, int n)
{
    local uint a[16384];
    uint l = get_local_id(0), m = get_local_size(0), r = 0;
    for (uint k = l; k < 16384; k += m)
        a[k] = k * 2654435761u ^ in[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 64; k++)
        r = r * 3 + a[(l * 257 + k * 4099) & 16383];
    out[get_global_id(0)] = r;
}

/* Switches over a few bits of a long, truth values gathered in masks, and parts of vectors in unions:
 * of these LLVM makes integers of 2, 3, 128 and 256 bits and vectors of 32. */
kernel void widths(global uint *out, global const uint *in, int n)
{
    uint i = get_global_id(0), r = 0;
    ulong q = upsample(in[i], in[i + 1]);
    switch (q * 5 & 7) {
    case 1: r = in[i + 2]; break;
    case 3: r = 7; /* falls through */
    case 4:
    case 6: r += i; break;
    case 7: r = 9; break;
    default: r = ~i;
    }
    switch ((long)(q >> 40) & 3) {
    case 0: r ^= 0x100; break;
    case 2: r *= 3;
    case 3: r += 5;
    }
    union { uint4 whole; ushort part[8]; uint word[4]; ulong pair[2]; uchar byte[16]; } u;
    for (int j = 0; j < 4; j++)
        u.word[j] = in[i + j] + j;
    u.part[3] = in[i + 5];
    if (in[i + 6] & 1)
        u.byte[9] = in[i + 7];
    if (in[i + 8] & 1)
        u.pair[1] += in[i + 9];
    union { uint8 whole; ushort part[16]; uint word[8]; ulong pair[4]; uchar byte[32]; } v;
    for (int j = 0; j < 8; j++)
        v.word[j] = in[i + j] ^ j;
    v.part[3] = in[i + 5];
    for (int j = 0; j < n; j++)
        v.pair[1] += in[i + j];
    if (in[i + 3] & 2)
        v.byte[29] = in[i + 7];
    union { uint word; uchar3 three; } w;
    w.word = in[i + 4];
    r += convert_uint3(w.three.zxy).x;
    vstore4(u.whole, 0, out + i * 13);
    vstore8(v.whole, 0, out + i * 13 + 4);
    out[i * 13 + 12] = r;
}

/* Built-ins that wrap, next to a number of which only the highest bit is set. */
kernel void wraps(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), x = in[i];
    out[i * 4] = mad_hi(x, in[i + 1], INT_MIN);
    out[i * 4 + 1] = mad_hi((int2)(n, x), (int2)(x, in[i + 2]), (int2)(INT_MIN)).y;
    out[i * 4 + 2] = mad_hi((short2)((short)x, (short)n), (short2)((short)in[i + 1], (short)x), (short2)(SHRT_MIN)).x;
    out[i * 4 + 3] = mad_hi((char)x, (char)in[i + 1], (char)CHAR_MIN);
}
