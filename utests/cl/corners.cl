/* Corners of the language. Every kernel writes 16 words an item. */
#define G ((int)get_global_id(0))
#define OUT global int *o = out + 16 * G

/* Swizzles as targets: overlapping, reversed, compound, through .hi.lo. */
kernel void swizzle_targets(global int *out, global const uint *in)
{
    OUT;
    int4 v = (int4)(in[G], in[G + 1], in[G + 2], in[G + 3]);
    v.xyzw = v.wzyx;
    v.xy = v.yx;
    v.hi.lo += 3;
    v.s30 ^= v.s12;
    v.odd = v.even * 2;
    vstore4(v, 0, o);
    uchar16 b = as_uchar16(vload4(0, in + G));
    b.sfedcba98 = b.lo;
    b.s0246 -= b.s1357;
    b.even.lo = b.odd.hi;
    vstore4(as_int4(b), 1, o);
    int3 t = (int3)(1, 2, 3);
    t.zx = t.xz;
    t.y <<= t.x;
    vstore3(t, 0, o + 8);
    short8 s = as_short8(v);
    s.s7 = s.s0;
    s.s01234567 = s.s70707070;
    vstore4(as_int4(s), 3, o);
    o[11] = (v.xy + t.xy).y;
}

union any {
    float f;
    uint u;
    short2 s;
    uchar b[8];
    ulong l;
    struct {
        ushort lo;
        char mid;
        uchar top;
    } part;
};

static union any mix(union any a, int i)
{
    a.b[i & 7] ^= 0x5a;
    a.part.mid -= 1;
    return a;
}

kernel void unions(global int *out, global const uint *in)
{
    OUT;
    union any a;
    a.l = (ulong)in[G] << 32 | in[G + 1];
    for (int i = 0; i < 5; i++)
        a = mix(a, i * G);
    o[0] = a.u;
    o[1] = (int)(a.l >> 32);
    o[2] = a.s.y;
    o[3] = a.part.lo;
    a.f = 1.5f;
    o[4] = a.u;
    o[5] = a.b[3];
    union any w[4] = {{.u = 1}, {.l = 0x123456789abcul}, {.b = {1, 2, 3, 4, 5, 6, 7, 8}}, {.s = (short2)(-1, 2)}};
    o[6] = w[G & 3].u;
    o[7] = w[G & 3].b[(G >> 2) & 7];
}

kernel void switch_long(global int *out, global const uint *in)
{
    OUT;
    long x = (long)(in[G] % 7) << 33;
    if (G & 8)
        x = -x;
    int r = 0;
    switch (x) {
    case 0x200000000L:
        r = 1;
    case 0x400000000L:
        r += 2;
        break;
    case -0x400000000L:
    case -0x600000000L:
        r = 9;
        break;
    default:
        r = 77;
    case 0:
        r--;
        break;
    case 0x600000000L ... 0x800000000L:
        r = 5;
    }
    o[0] = r;
    switch ((char)in[G]) {
    case -128 ... -1:
        r = 3;
        break;
    case 0 ... 63:
        for (int i = 0;; i++) {
            switch (i) {
            case 3:
                continue;
            case 7:
                goto done;
            }
            r += i;
        }
    done:
        break;
    default:
        r ^= 15;
    }
    o[1] = r;
    switch ((ulong)in[G + 1] * in[G + 2] & 0x8000000000000001ul) {
    case 0x8000000000000001ul:
        r++;
    case 0x8000000000000000ul:
        r++;
    case 1:
        r++;
    }
    o[2] = r;
}

kernel void vector_ternary(global int *out, global const uint *in)
{
    OUT;
    int4 a = as_int4(vload4(0, in + G)), b = as_int4(vload4(1, in + G));
    float4 f = convert_float4(a), g = convert_float4(b);
    int4 r = a < b ? (a & 1) != 0 ? a : b : (f > g) ? -a : (int4)(7);
    vstore4(r, 0, o);
    uchar4 c = convert_uchar4(a & 255), d = convert_uchar4(b & 255);
    uchar4 e = (c > d) ? c : (c == d) ? (uchar4)1 : d;
    o[4] = as_int(e);
    short4 s = (convert_short4(a & 7) > (short)3) && (convert_short4(b & 7) < (short)5);
    vstore4(convert_int4(s), 0, o + 5);
    o[9] = any(a == b) ? 1 : all(a != b) ? 2 : 3;
    int4 n = !a;
    o[10] = n.x + n.y + n.z + n.w;
    a = a.x > 0 ? a : b; /* a scalar condition chooses whole vectors */
    o[11] = a.x ^ a.w;
    float2 z = isnan((float2)(as_float(0x7fc00000), 1)) ? (float2)2 : (float2)(3, 4);
    o[12] = (int)(z.x * 10 + z.y);
    double2 q = (double2)(a.x, a.y);
    long2 m = q < 0.0;
    o[13] = (int)m.x * 2 + (int)m.y;
    int k = G;
    int4 scaled = (int4)(1, 2, 3, 4) * k + 1;
    o[14] = scaled.w;
    o[15] = (k++, k);
}

kernel void volatiles(global int *out, global const uint *in)
{
    OUT;
    volatile int a[4];
    volatile local int l[64];
    volatile global int *p = o;
    int lid = get_local_id(0);
    l[lid] = in[G];
    for (int i = 0; i < 4; i++)
        a[i] = i * G;
    a[G & 3] = l[lid];
    a[1] += a[0];
    p[0] = a[0];
    p[0] = a[1];
    p[1] = p[0] + a[2];
    p[2] = a[3];
    volatile int *q = &a[2];
    (*q)++;
    ++*(q - 1);
    p[3] = a[2];
    p[4] = a[1];
    volatile float4 v = (float4)(1, 2, 3, 4);
    v.y += v.x;
    p[5] = (int)v.y;
}

constant int table[3][4] = {{1, 2, 3, 4}, {[2] = 7}, {-1, -2, [3] = -4}};
constant char text[] = "corner\0case\x7f\101";
constant float4 quads[] = {(float4)(1, 2, 3, 4), (float4)(5), (float4)((float2)(6, 7), 8, 9)};
constant struct point {
    int x;
    char3 c;
    constant int *at;
} points[] = {{3, (char3)(1, 2, 3), &table[1][2]}, {.c = (char3)(9), .at = table[2]}};

kernel void constant_arrays(global int *out, global const uint *in)
{
    OUT;
    int i = in[G] % 3;
    o[0] = table[i][G & 3];
    o[1] = text[G % sizeof(text)];
    o[2] = (int)quads[i].z + (int)quads[(i + 1) % 3].s1;
    o[3] = points[G & 1].x + points[G & 1].c.z * 100;
    o[4] = *points[G & 1].at;
    constant int *p = G & 1 ? table[2] : table[0];
    o[5] = p[1] + p[-0];
    const int own[5] = {5, 4, 3, 2, 1};
    const int *q = own + (G % 5);
    o[6] = *q;
    constant int(*row)[4] = table + i;
    o[7] = (*row)[3] + row[0][1];
    o[8] = sizeof(text) + sizeof(points) / sizeof(*points);
    o[9] = "literal"[G & 7];
    constant char *s = G & 1 ? "odd" : "even";
    o[10] = s[0] + s[2];
}

kernel void private_pointers(global int *out, global const uint *in)
{
    OUT;
    int a = in[G] & 255, b = in[G + 1] & 255, c = 3;
    int *p = &a, *q = &b;
    int **pp = G & 1 ? &p : &q;
    **pp += 1000;
    *pp = &c;
    *p += 1;
    *q += 2;
    o[0] = a;
    o[1] = b;
    o[2] = c;
    int *array[4] = {&a, &b, &c, p};
    for (int i = 0; i < 4; i++)
        *array[(i + G) & 3] += i;
    o[3] = a;
    o[4] = b;
    o[5] = c;
    struct node {
        int value;
        struct node *next;
    } n[6];
    for (int i = 0; i < 6; i++) {
        n[i].value = i * 3 + G;
        n[i].next = i < 5 ? &n[(i * 5 + 1) % 6] : 0;
    }
    int sum = 0, steps = 0;
    for (struct node *t = n; t && steps < 9; t = t->next, steps++)
        sum = sum * 3 + t->value;
    o[6] = sum;
    o[7] = steps;
    o[8] = (int)(array[1] - array[1]) + (p == &c) + 2 * (q == &c) + 4 * (p != q);
    int ***ppp = &pp;
    ***ppp = 5;
    o[9] = a + b + c;
    global int *gp[2] = {o, o + 1};
    o[10] = *gp[G & 1];
    char *bytes = (char *)&a;
    bytes[1] = 7;
    o[11] = a;
    o[12] = ((short *)&b)[0];
}

struct big {
    int v[7];
    float4 f;
    char c[3];
    struct {
        short a, b;
    } in[2];
};

static struct big make(int x)
{
    struct big b = {{x, x + 1}, (float4)(x), "ab", {{1, 2}, {3, x}}};
    return b;
}

static struct big change(struct big b, int i)
{
    b.v[i % 7] = b.v[(i + 1) % 7] + 9;
    b.in[i & 1].b += b.c[i & 1];
    b.f.yz = b.f.xw + i;
    return b;
}

kernel void struct_results(global int *out, global const uint *in)
{
    OUT;
    struct big b = make(G);
    for (int i = 0; i < 10; i++)
        b = change(G & i ? b : make(i), i + G);
    struct big d;
    d = b;
    d.v[0] = (b = change(d, 3)).v[3];
    for (int i = 0; i < 7; i++)
        o[i] = b.v[i] + d.v[i];
    o[7] = (int)(b.f.x + b.f.y * 2 + b.f.z * 3 + b.f.w * 4);
    o[8] = b.in[0].b;
    o[9] = b.in[1].b;
    o[10] = b.c[0] + b.c[2];
    o[11] = make(5).v[1] + change(make(6), 2).in[1].a;
    o[12] = sizeof(struct big);
    o[13] = ((struct big){.v = {[3] = G}}).v[3];
}

kernel void copies(global int *out, global const uint *in)
{
    OUT;
    local ushort4 l[80];
    local char2 c[64];
    int lid = get_local_id(0), n = get_local_size(0);
    l[lid] = (ushort4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(l, (global const ushort4 *)in, (size_t)16, (event_t)0);
    e = async_work_group_strided_copy(l + 16, (global const ushort4 *)in + 1, (size_t)8, (size_t)3, e);
    event_t f = async_work_group_copy(c, (global const char2 *)in, (size_t)64, (event_t)0);
    event_t both[2] = {e, f};
    prefetch(in, (size_t)16);
    wait_group_events(2, both);
    ushort4 v = l[lid];
    o[0] = v.x + v.y * 3;
    o[1] = v.z - v.w;
    o[2] = as_short(c[lid]) + n;
    barrier(CLK_LOCAL_MEM_FENCE);
}

static int sum_of(local int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i] * (i + 1);
    return s;
}

kernel void helper(global int *out, global const uint *in)
{
    OUT;
    o[0] = in[G] + 1;
    o[1] = -7;
}

kernel void calls_kernel(global int *out, global const uint *in)
{
    helper(out, in + 3);
    OUT;
    o[1] -= o[0];
    local int l[32];
    l[get_local_id(0)] = G;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[2] = sum_of(l, 32);
}

inline int twice(int x)
{
    return 2 * x;
}
static inline __attribute__((always_inline)) int thrice(int x)
{
    return 3 * x;
}
__attribute__((noinline)) int four(int x)
{
    return 4 * x + (x > 2 ? twice(x) : thrice(x));
}
int __attribute__((overloadable)) over(int x)
{
    return x + 1;
}
int __attribute__((overloadable)) over(float x)
{
    return (int)x * 10;
}
int __attribute__((overloadable)) over(int2 x)
{
    return x.x - x.y;
}

__attribute__((reqd_work_group_size(32, 1, 1))) __attribute__((vec_type_hint(float4)))
kernel void attributes(global int *restrict out, global const uint *restrict in)
{
    OUT;
    o[0] = four(G);
    o[1] = over(G) + over((float)G) + over((int2)(G, 3));
    struct __attribute__((packed)) {
        char a;
        int b;
        long c;
        short3 d;
    } p = {1, 2, 3, (short3)(4)};
    struct {
        char a;
        __attribute__((aligned(16))) char b;
    } q;
    int __attribute__((aligned(64))) r[3] = {G, 1, 2};
    o[2] = sizeof(p) * 1000 + sizeof(q);
    o[3] = (int)(((uintptr_t)(private int *)r & 15) == 0) + r[G % 3];
    p.c += p.b + G;
    o[4] = (int)p.c + p.d.z;
    __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < G % 7; i++) o[4] += i;
    o[5] = __builtin_astype((float)G, int);
    o[6] = vec_step(short3) * 100 + vec_step(double2) * 10 + vec_step(char16);
}

/* Irreducible: two ways into a loop, and out of its middle. */
kernel void into_loop(global int *out, global const uint *in)
{
    OUT;
    int i = 0, s = in[G] & 15, n = 0;
    if (s & 1)
        goto middle;
top:
    s += 3;
    if (s > 60)
        goto end;
middle:
    s += i;
    i++;
    if (++n > 40)
        goto end;
    if ((s & 6) == 6)
        goto other;
    goto top;
other:
    s ^= 5;
    if (i & 1)
        goto middle;
    if (s < 100)
        goto top;
end:
    o[0] = s;
    o[1] = i;
    int k = in[G + 1] & 3, t = 0, turns = 0;
    switch (k) {
    case 0:
        do {
            t++;
        case 1:
            t += 2;
        case 2:
            t *= 3;
        case 3:
            t -= 5;
        } while (++turns < 4);
    }
    o[2] = t;
}

kernel void wide_shifts(global int *out, global const uint *in)
{
    OUT;
    int n = in[G] & 255;
    uint u = in[G + 1];
    ulong l = (ulong)u << 32 | in[G + 2];
    o[0] = u << (n & 31);
    o[1] = (int)u >> (n & 31);
    o[2] = (int)(l >> (n & 63));
    o[3] = (int)((long)l >> (n & 63) >> 7);
    uchar c = u;
    o[4] = (uchar)(c << (n & 7)) + (c >> 3);
    int4 v = (int4)(u) << (int4)(0, 1, 31, n & 31);
    o[5] = v.z ^ v.w;
    char4 w = as_char4(u) >> (char4)(0, 3, 5, 7);
    o[6] = as_int(w);
    ulong2 x = (ulong2)(l, ~l) >> (ulong2)(n & 63, 63 - (n & 63));
    o[7] = (int)x.x ^ (int)(x.y >> 32);
    o[8] = rotate(u, (uint)n) + (int)(rotate(l, (ulong)n) >> 17);
    o[9] = (int)upsample((uint)n, u) + (int)(upsample(n, u) >> 32);
    o[10] = u >> 31 << 31 >> 31;
    short s = (short)u;
    s <<= 3;
    s >>= 2;
    o[11] = s;
    o[12] = (ushort)s >> 5;
    s = -s;
    o[13] = s / 3 + s % 3;
    o[14] = (uint)s / 3u;
    o[15] = (int)((long)l / (long)(n + 1)) ^ (int)(l % (ulong)(n + 3));
}

kernel void conversions(global int *out, global const uint *in)
{
    OUT;
    float f = (float)(int)in[G] / 1024.0f;
    o[0] = convert_int_sat(f * 4096.0f);
    o[1] = convert_uchar_sat_rte(f);
    o[2] = convert_char_sat(f);
    o[3] = (int)(short)(int)f;
    o[4] = as_int((float)(ulong)((ulong)in[G] << 29 | 1));
    o[5] = as_int(convert_float_rtp((long)in[G] * -12345678L));
    double d = (double)f * 1.0e5 + 0.25;
    o[6] = convert_int_rtn(d / 1.0e6);
    o[7] = as_int(convert_float_rtz(d));
    o[8] = (int)(convert_long_rte(d) >> 3);
    o[9] = (int)convert_ulong_sat(-d);
    bool b = f;
    o[10] = b + (bool)0.5f + !f + !!d;
    o[11] = (int)convert_short4_sat((int4)(in[G], -70000, 70000, 5)).x;
    uchar c = 200;
    char e = c;
    o[12] = e * c;
    o[13] = (c + c) / 2 + (uchar)(c + c);
    o[14] = (1u - 2 < 0) + 2 * ((ushort)1 - 2 < 0) + 4 * (-1 < (uchar)1) + 8 * (-1L < 1u);
    half *none = 0;
    o[15] = none == 0;
}

struct seg {
    int *p;
    int n;
};

static void sort(struct seg s)
{
    for (int i = 1; i < s.n; i++) {
        int x = s.p[i], j = i;
        for (; j > 0 && s.p[j - 1] > x; j--)
            s.p[j] = s.p[j - 1];
        s.p[j] = x;
    }
}

kernel void insertion_sort(global int *out, global const uint *in)
{
    OUT;
    int a[16];
    for (int i = 0; i < 16; i++)
        a[i] = in[(G * 7 + i * 3) & 255];
    sort((struct seg){a, 16});
    for (int i = 0; i < 16; i++)
        o[i] = a[i];
}

kernel void two_dimensions(global int *out, global const uint *in)
{
    OUT;
    float m[3][3], id[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            m[i][j] = (float)((in[G + i * 3 + j] & 7) + (i == j ? 20 : 0));
            id[i][j] = i == j;
        }
    int det = 0, sign = 1;
    for (int c = 0; c < 3; c++) {
        float(*p)[3] = m;
        det += (int)(p[0][c] * (p[1][(c + 1) % 3] * p[2][(c + 2) % 3] - p[1][(c + 2) % 3] * p[2][(c + 1) % 3]));
    }
    o[0] = det * sign;
    int cube[2][3][4];
    for (int i = 0; i < 24; i++)
        ((int *)cube)[i] = i ^ G;
    o[1] = cube[G & 1][G % 3][G >> 4];
    int(*q)[3][4] = &cube[1];
    o[2] = (*q)[2][3] + q[-1][0][1];
    o[3] = (int)id[G % 3][G & 1];
    uchar8 v[5];
    for (int i = 0; i < 5; i++)
        v[i] = (uchar8)(i * G);
    v[G % 5].s3 = 99;
    v[(G + 1) % 5].lo.hi = (uchar2)(1, 2);
    uchar8 t = v[0] + v[1] + v[2] + v[3] + v[4];
    o[4] = as_int(t.lo);
    o[5] = as_int(t.hi);
    ((uchar *)&v[2])[G & 7] = 5;
    o[6] = v[2].s4;
    int3 w[3];
    for (int i = 0; i < 3; i++)
        w[i] = (int3)(i, G, -i);
    w[G % 3].y = -1;
    o[7] = w[0].y + w[1].y * 2 + w[2].y * 4 + (int)sizeof(w);
}

/* Side effects in their order. */
kernel void effects(global int *out, global const uint *in)
{
    OUT;
    int i = 0, a[8] = {0};
    a[i++] = 5;
    a[i++] = a[0]++;
    a[i += 2] += 3;
    int r = (G & 1) && ++i;
    r += (G & 2) || i++;
    r += G & 4 ? i-- : --i;
    o[0] = i;
    o[1] = r;
    o[2] = a[0] + 10 * a[1] + 100 * a[4];
    int n = 0;
    while (n++ < (int)(in[G] & 7))
        if (n == 5)
            break;
    o[3] = n;
    do
        n -= 2;
    while (n > 0);
    o[4] = n;
    for (int x = 0, y = 10; x < y; x += 2, y--)
        n += x * y;
    o[5] = n;
    int v = ({ int t = G; t * t; });
    o[6] = v;
    o[7] = G ?: -5;
    float f = 1;
    f += f * 2;
    f = -f;
    f /= 4;
    o[8] = as_int(f);
    o[9] = as_int(-0.0f) + as_int(fabs(-0.0f));
    o[10] = 1 / (G + 1) ? 3 : 4;
    uint u = -1;
    o[11] = (u + 1 == 0) + (u > G) * 2;
    __typeof__(u) w = 3;
    o[12] = w;
    o[13] = __LINE__ - __LINE__ + sizeof(int[3]);
    enum { A = 3, B, C = -B } en = G & 1 ? C : A;
    o[14] = en;
    o[15] = (0x1p-3f == 0.125f) + ('a' == 97) * 2 + (0b101 == 5) * 4 + (077 == 63) * 8;
}

kernel void pointers_compared(global int *out, global const uint *in)
{
    OUT;
    local int l[64];
    local int *a = l + get_local_id(0), *b = l + 20;
    o[0] = (int)(a - b) + (a < b) * 100 + (a == b) * 1000;
    global int *p = G & 1 ? o : 0;
    o[1] = p ? 3 : 4;
    o[2] = !p;
    constant int *c = G & 2 ? table[1] : (constant int *)0;
    o[3] = c ? c[2] : -1;
    private int x[4] = {1, 2, 3, 4};
    private int *e = x + 4;
    int s = 0;
    for (private int *q = x; q != e; q++)
        s = s * 2 + *q;
    o[4] = s;
    o[5] = (int)((uintptr_t)(x + 3) - (uintptr_t)x);
    o[6] = (int)((global char *)(o + 6) - (global char *)out) - 64 * G;
    global void *v = o + 7;
    *(global float *)v = 2.5f;
    *((global short *)v + 2) = 17;
    ((global uchar *)o)[34] = 9;
    ((global uchar *)o)[35] = 0;
    ptrdiff_t d = (global long *)(o + 10) - (global long *)o;
    o[9] = d;
    size_t z = (size_t)G - (size_t)3;
    o[10] = z > 100;
}

static float4 poly(float4 x, const float *c, int n)
{
    float4 r = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        r = fma(r, x, (float4)c[i]);
    return r;
}

kernel void horner(global int *out, global const uint *in)
{
    OUT;
    float c[6];
    for (int i = 0; i < 6; i++) c[i] = (float)((int)(in[G + i] & 7) - 3);
    float4 x = convert_float4(as_char4(in[G]) & (char4)3);
    float4 r = poly(x, c, 6);
    vstore4(convert_int4(r), 0, o);
    vstore4(convert_int4(poly(x.wzyx, c + 1, (in[G] & 3) + 2)), 1, o);
}

/* loop-carried vectors with dynamic element index via pointer */
kernel void dyn_elem(global int *out, global const uint *in)
{
    OUT;
    int8 v = (int8)(0,1,2,3,4,5,6,7) * G;
    int *p = (int *)&v;
    p[G & 7] += 100;
    for (int i = 0; i < 8; i++) p[(i * 3) & 7] ^= p[(i + G) & 7];
    vstore8(v, 0, o);
    char16 c = (char16)(G);
    ((char *)&c)[in[G] & 15] = 1;
    ((short *)&c)[in[G] >> 4 & 7] += 0x101;
    vstore4(as_int4(c), 2, o);
    float3 f = (float3)(1, 2, 3);
    ((float *)&f)[G % 3] = 9;
    o[12] = (int)(f.x * 100 + f.y * 10 + f.z);
    ulong4 l = (ulong4)(G);
    ((ulong *)&l)[G & 3] <<= 35;
    o[13] = (int)((l.x + l.y + l.z + l.w) >> 16);
    double2 d = (double2)(G, -G);
    ((double *)&d)[G & 1] += 0.5;
    o[14] = (int)(d.x * 2) + (int)(d.y * 4);
}

kernel void local_struct(global int *out, global const uint *in)
{
    OUT;
    local struct { int a[3]; char3 c; ulong l; struct { short s; float f; } in[2]; } s[32];
    local int total;
    local int *lp;
    int i = get_local_id(0);
    if (i == 0) total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[i].a[0] = G; s[i].a[1] = in[G]; s[i].a[2] = i;
    s[i].c = (char3)(i, -i, 7);
    s[i].l = (ulong)in[G] << 17;
    s[i].in[i & 1].s = i * 1000; s[i].in[~i & 1].s = 0; s[i].in[0].f = i; s[i].in[1].f = -i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int j = (i * 5 + 3) & 31;
    o[0] = s[j].a[0] + s[j].a[2]; o[1] = s[j].a[1];
    o[2] = s[j].c.x + s[j].c.y * 3 + s[j].c.z;
    o[3] = (int)(s[j].l >> 32);
    o[4] = s[j].in[0].s + s[j].in[1].s + (int)s[j].in[1].f;
    atomic_add(&total, s[j].c.x);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[5] = total;
    lp = G & 1 ? &total : &s[3].a[2];
    o[6] = *lp;
}

kernel void nested_break(global int *out, global const uint *in)
{
    OUT;
    int n = 0;
    for (int i = 0; i < 10; i++) {
        int j = 0;
        while (1) {
            if (j > i) break;
            switch ((in[(G + i * 3 + j) & 255] >> 4) & 3) {
            case 0: j += 2; continue;
            case 1: n += j; break;
            case 2: if (n & 1) goto next; n++; break;
            default: n ^= i; if (n > 1000) return;
            }
            j++;
            do { n += 2; if (n % 5 == 0) break; if (n % 7 == 0) { j++; continue; } } while (n & 3);
        }
    next:
        n -= j;
        o[i] = n;
    }
    o[10] = n;
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void barrier_uniform(global int *out, global const uint *in)
{
    OUT;
    local int l[2][32];
    int i = get_local_id(0), b = 0;
    l[0][i] = in[G] & 0xffff;
    for (int s = 1; s < 32; s <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        l[!b][i] = l[b][i] + (i >= s ? l[b][i - s] : 0);
        b = !b;
        if (s == 8) continue;
        if (get_group_id(0) == 5) break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[0] = l[b][i];
    o[1] = l[b][31 - i];
}

kernel void int_edges(global int *out, global const uint *in)
{
    OUT;
    int big = INT_MAX, small = INT_MIN;
    int x = in[G];
    o[0] = add_sat(x, big); o[1] = sub_sat(small, x); o[2] = abs_diff(x >> 1, small >> 1);
    o[3] = mul_hi(x, small); o[4] = mad_sat(x, 3, big); o[5] = hadd(x, big); o[6] = rhadd(x, small);
    o[7] = clz(x) + clz((uchar)x) * 100 + clz((ushort)(x >> 16)) * 10000;
    o[8] = popcount((ulong)x); o[9] = (int)mad_hi((long)x, (long)x << 20, 5L);
    o[10] = (int)(mul_hi((ulong)x << 31, ~0ul) >> 32);
    o[11] = (int)add_sat((long)x << 40, LONG_MAX) ^ (int)(sub_sat(LONG_MIN, (long)x << 40) >> 32);
    o[12] = add_sat((char)x, (char)100) + sub_sat((uchar)x, (uchar)100) * 256;
    o[13] = max((short)x, (short)3) + min((uchar)x, (uchar)7) + clamp(x, -5, 5);
    o[14] = (int)rotate((uchar)x, (uchar)3) + (int)rotate((short)x, (short)-3);
    o[15] = (int)(abs((long)x << 33) >> 32) + bitselect(x, ~x, 0xff00ff);
}

kernel void float_edges(global int *out, global const uint *in)
{
    OUT;
    const float vals[8] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, FLT_MAX, FLT_MIN, -1.0f};
    float a = vals[G & 7], b = vals[(G >> 3) & 7];
    o[0] = (a < b) | (a > b) << 1 | (a <= b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | !(a < b) << 6 | !(a >= b) << 7 | isunordered(a, b) << 8 | islessgreater(a, b) << 9;
    float m = fmin(a, b), n = fmax(a, b);
    o[1] = isnan(m) ? 1 : m == 0 ? 2 : as_int(m);
    o[2] = isnan(n) ? 1 : n == 0 ? 2 : as_int(n);
    float s = a + b; o[3] = isnan(s) ? 1 : as_int(s);
    float p = a * b; o[4] = isnan(p) ? 1 : fabs(p) < FLT_MIN ? 2 : as_int(p);
    o[5] = as_int(copysign(2.0f, b)) + signbit(a);
    o[6] = isnan(a) ? 0 : as_int(sign(a));
    o[7] = isnan(a / b) ? 1 : fabs(a / b) < FLT_MIN ? 2 : as_int(a / b) & ~7;
    o[8] = (a != 0 ? 1 : 0) + (!b ? 2 : 0) + ((bool)a ? 4 : 0) + (a && b ? 8 : 0) + (a || b ? 16 : 0);
    o[9] = convert_int_sat(a) + convert_short_sat(b);
    float f = fract(b, &s); o[10] = isnan(f) ? 1 : f == 0 ? 2 : as_int(f);
    int e; float fr = frexp(a, &e); o[11] = isfinite(a) ? as_int(fr) + e : 0;
    o[12] = isfinite(a) && isfinite(b) && b != 0 ? as_int(fmod(a, b)) & 0x7fffffff : 0;
    o[13] = isnan(a) || isnan(b) ? 0 : as_int(nextafter(a, b)) & 0x7fffffff ? isnormal(nextafter(a,b)) : 5;
    o[14] = isfinite(ldexp(a, 1)) | isnan(maxmag(a, b)) << 1 | isinf(fdim(a, b)) << 2;
    o[15] = isnan(pow(a, b)) ? 1 : fabs(pow(a, b)) == INFINITY ? 2 : fabs(pow(a, b)) < FLT_MIN ? 3 : pow(a, b) == 1 ? 4 : 5;
}

kernel void double_edges(global int *out, global const uint *in)
{
    OUT;
    const double vals[8] = {0.0, -0.0, INFINITY, -INFINITY, NAN, DBL_MAX, 4.9406564584124654e-324, -1.5};
    double a = vals[G & 7], b = vals[(G >> 3) & 7];
    o[0] = (a < b) | (a > b) << 1 | (a <= b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | isunordered(a, b) << 8;
    double r[6] = {a + b, a * b, a / b, sqrt(a), fma(a, b, 1.0), fmin(a, b)};
    for (int i = 0; i < 6; i++)
        o[1 + i] = isnan(r[i]) ? 77 : i == 5 && r[i] == 0 ? 0 : (int)(as_long(r[i]) >> 32) ^ (int)as_long(r[i]);
    o[7] = convert_int_sat(a) ^ (int)(convert_long_sat(b) >> 33);
    o[8] = isnan(a) ? 0 : as_int((float)a);
    o[9] = isnan(b) ? 0 : (int)(as_long(floor(b)) >> 32) + (int)(as_long(rint(a * 0.5)) >> 40);
    o[10] = isfinite(a) && isfinite(b) && b != 0 ? (int)(as_long(fmod(a, b)) >> 32) & 0x7fffffff : 0;
    o[11] = (!a ? 1 : 0) + (b && a ? 2 : 0);
    int e; double f = frexp(a, &e); o[12] = isfinite(a) ? e : 0;
    o[13] = isfinite(a) ? (int)(as_long(f) >> 32) : 0;
    o[14] = (int)(as_long(ldexp(1.25, (int)(in[G] % 2200) - 1100)) >> 32);
    o[15] = isnan(nextafter(a, b)) ? 1 : (int)as_long(nextafter(a, b));
}

kernel void vload_odd(global int *out, global const uint *in)
{
    OUT;
    global const char *c = (global const char *)in;
    o[0] = as_int(vload4(0, c + G + 1)); 
    short3 s = vload3(G, (global const short *)(c + 2)); o[1] = s.x ^ s.y << 8 ^ s.z << 16;
    int4 v = as_int4(vload16(0, c + G)); o[2] = v.x ^ v.w;
    float2 h = vload_half2(G, (global const half *)c); o[3] = isnan(h.x) ? 0 : as_int(h.x); 
    float3 h3 = vloada_half3(G & 15, (global const half *)c); o[4] = isnan(h3.z) ? 0 : as_int(h3.z);
    private char p[32];
    for (int i = 0; i < 32; i++) p[i] = c[G + i];
    o[5] = as_int(vload4(0, p + (G & 15))); 
    vstore3((char3)(1, 2, 3), 2, p + (G & 7)); 
    vstore2((short2)(7, 8), 1, (short *)(p + 16));
    o[6] = as_int(vload4(3, p)); o[7] = as_int(vload4(1, p + 3)) + p[21];
    local char l[64 * 4];
    vstore4(as_char4(in[G]), 0, l + get_local_id(0) * 4 + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[8] = as_int(vload4(0, l + (31 - get_local_id(0)) * 4 + 1));
    vstore_half_rtz((float)G * 1.0003f, 20, (global half *)o);
    vstore_half4_rte((float4)(G, 65519.0f, 65520.0f, -1e-8f) , 0, (global half *)o + 22);
    ((global char *)o)[41 + 5 + 6] = 3; ((global char *)o)[53] = 0; o[15] = 5;
}
