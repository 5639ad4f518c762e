/* The language: each kernel writes out[i] for its work-item; lang.c knows what. */

struct pair { char c; int i; short s; };
struct __attribute__((packed)) tight { char c; int i; short s; };
struct nest { struct pair p[2]; float4 v; union { uint u; float f; } w; };

constant int primes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
constant float4 vectors[2] = {(float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8)};
constant char text[] = "beignet";

kernel void constants(global int *out)
{
    uint i = get_global_id(0);
    out[i] = primes[i % 10] + (int)vectors[i & 1].z + text[i % 7];
}

kernel void if_nest(global int *out)
{
    int i = get_global_id(0), r = 0;
    if (i & 1) {
        if (i & 2)
            r = 3 * i;
        else if (i & 4)
            r = i - 100;
        else
            r = 7;
    } else {
        if (i % 3 == 0)
            r = -i;
    }
    out[i] = r;
}

kernel void loop_trip(global int *out)
{
    int i = get_global_id(0), r = 0;
    for (int k = 0; k < i % 37; k++)
        r += k;
    out[i] = r;
}

kernel void loop_break(global int *out)
{
    int i = get_global_id(0), r = 0;
    for (int k = 1;; k++) {
        if (k % 3 == 0)
            continue;
        r += k;
        if (r > i)
            break;
        if (k > 50)
            break;
    }
    out[i] = r;
}

kernel void break_ways(global int *out)
{
    uint i = get_global_id(0), r = i;
    int found = -1;
    for (int k = 0; k < 20; k++) {
        r = r * 5 + k;
        if ((r & 15) == 3) { /* something is done on the way out */
            found = k;
            if (r & 64)
                r += 1000;
            break;
        }
        if (k & 1) {
            r += 7;
            if ((r & 31) == 9)
                break;
        } else if (r > 0x80000000u) {
            break;
        }
        for (uint j = 0;; ) {
            if (j > (i & 3))
                break;
            r += j++;
            if ((r & 7) == 5) {
                r -= 2;
                break;
            }
        }
    }
    out[i] = r * 32 + found;
}

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void break_barrier(global int *out)
{
    local int t[16];
    int i = get_global_id(0), l = get_local_id(0), r = 0;
    for (int k = 0;; k++) {
        t[l] = i * k + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        r += t[(l + 1) % 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k == get_group_id(0) % 5)
            break;
        if (k == 3 && r < 0) /* never, but who knows */
            break;
    }
    out[i] = r;
}

kernel void collatz(global int *out)
{
    uint n = get_global_id(0) + 1;
    int steps = 0;
    while (n != 1) {
        n = (n & 1) ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}

kernel void loop_nest(global int *out)
{
    int i = get_global_id(0), r = 0;
    for (int a = 0; a < (i & 7); a++) {
        int b = 0;
        do {
            if (((a + b + i) & 3) == 1)
                break;
            r += a * b + 1;
            b++;
        } while (b < (i >> 3) % 9);
        if (r > 200)
            goto out_of_it;
    }
    r += 1000;
out_of_it:
    out[i] = r;
}

kernel void switches(global int *out)
{
    int i = get_global_id(0), r = 0;
    switch (i % 11) {
    case 0: r = 5; break;
    case 1: r += 10; /* falls through */
    case 2: r += 20; /* falls through */
    case 3: r += 30; break;
    case 7: if (i & 16) { r = 99; break; } r = 98; break;
    case 9: for (int k = 0; k < 4; k++) { if (k == 3) break; r += i; } break;
    default: r = -1;
    }
    out[i] = r;
}

kernel void early_return(global int *out)
{
    int i = get_global_id(0);
    out[i] = 1;
    if (i % 5 == 0)
        return;
    out[i] = 2;
    for (int k = 0; k < 10; k++) {
        if (k == i % 13)
            return;
        out[i] += k;
    }
    out[i] = -out[i];
}

static int gcd(int a, int b)
{
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
static int apply(int n, global const int *table)
{
    return gcd(n, table[n & 7]);
}
kernel void calls(global int *out, global const int *table)
{
    int i = get_global_id(0);
    out[i] = apply(i + 1, table) + gcd(i, 36);
}

kernel void structs(global struct nest *s, global struct tight *t, global int *out)
{
    int i = get_global_id(0);
    struct nest n = s[i];
    n.p[1].i += n.p[0].i;
    n.p[0].c = (char)(n.p[0].c + n.p[1].s);
    n.v = n.v.wzyx * 2.0f;
    n.w.f = as_float(n.w.u) + 1.0f;
    s[i] = n;
    t[i].i = t[i].i * 3 + t[i].c;
    t[i].s = (short)(t[i].s - 1);
    out[i] = (int)sizeof(struct nest) * 1000 + (int)sizeof(struct tight);
}

kernel void struct_arg(struct pair p, float4 v, global int *out, uchar k, long big, float3 w)
{
    int i = get_global_id(0);
    out[i] = p.c + p.i + p.s + (int)v.w * 100 + k + (int)(big >> 32) + (int)w.z;
}

kernel void private_array(global int *out)
{
    int i = get_global_id(0);
    int a[40];
    for (int k = 0; k < 40; k++)
        a[(k * 7 + i) % 40] = k * i;
    int r = 0;
    for (int k = 0; k < 40; k += 3)
        r += a[(k + i * 5) % 40] * (k + 1);
    out[i] = r;
}

kernel void private_bytes(global int *out)
{
    int i = get_global_id(0);
    uchar b[64];
    ushort *h = (ushort *)b;
    for (int k = 0; k < 64; k++)
        b[k ^ (i & 63)] = (uchar)(k + i);
    int r = 0;
    for (int k = 0; k < 32; k++)
        r = r * 3 + h[(k + i) & 31];
    out[i] = r;
}

/* Too large for registers, of pieces of one, two, four and sixteen bytes. */
kernel void large_array(global int *out)
{
    int i = get_global_id(0);
    int a[150];
    for (int k = 0; k < 150; k++)
        a[(k * 7 + i) % 150] = k * i;
    int r = 0;
    for (int k = 0; k < 150; k += 3)
        r += a[(k + i * 5) % 150] * (k + 1) + a[k];
    out[i] = r;
}

kernel void large_bytes(global int *out)
{
    int i = get_global_id(0);
    uchar b[512];
    ushort *h = (ushort *)b;
    for (int k = 0; k < 512; k++)
        b[k ^ (i & 63)] = (uchar)(k + i);
    int r = 0;
    for (int k = 0; k < 256; k++)
        r = r * 3 + h[(k + i) & 255];
    out[i] = r;
}

kernel void large_vectors(global int *out)
{
    int i = get_global_id(0);
    int4 v[40];
    int *p = (int *)v;
    for (int k = 0; k < 40; k++)
        v[(k + i) % 40] = (int4)(k, k * i, k + i, 7);
    for (int k = 0; k < 160; k += 5)
        p[(k + i) % 160] += i;
    int r = 0;
    for (int k = 0; k < 40; k++)
        r = r * 5 + v[k].x + 3 * v[(k * i) % 40].y - v[k].z + v[k].w;
    out[i] = r;
}

kernel void large_unaligned(global int *out)
{
    int i = get_global_id(0);
    uchar b[400];
    for (int k = 0; k < 400; k++)
        b[(k + i) % 400] = (uchar)(k * 3);
    int r = 0;
    for (int k = 0; k < 390; k += 7)
        r = r * 3 + as_int(vload4(0, b + (k + i % 5)));
    out[i] = r;
}

kernel void private_pointer(global int *out)
{
    int i = get_global_id(0);
    int x = i, y = 2 * i, z[3] = {i, i + 1, i + 2};
    int *p = (i & 1) ? &x : (i & 2) ? &y : &z[i % 3];
    *p += 100;
    int *q = &z[0];
    q += (i >> 2) % 3;
    out[i] = x + y * 10 + *q;
}

kernel void global_pointer(global int *a, global int *b, global int *out)
{
    int i = get_global_id(0);
    global int *p = (i % 3) ? a : b;
    p += i;
    out[i] = *p;
    if (p == a + i)
        out[i] += 1000000;
}

kernel void pointer_in_memory(global int *a, local int *l, global int *out)
{
    int i = get_global_id(0), k = get_local_id(0);
    local int *slots[4];
    l[k] = i * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 4; j++)
        slots[j] = l + (k + j) % (int)get_local_size(0);
    global int *where[2] = {a + i, a + (i ^ 1)};
    out[i] = *slots[i & 3] + *where[(i >> 2) & 1];
}

kernel void vectors_ops(global float4 *v, global uchar16 *b, global int *out)
{
    int i = get_global_id(0);
    float4 x = v[i];
    float4 y = x.xxyy + (float4)(x.hi, x.lo) * 2.0f;
    y.s02 = y.s20;
    v[i] = y;
    uchar16 u = b[i];
    uchar16 t = u.s0123456789abcdef + u.sfedcba9876543210;
    t.even = t.odd ^ (uchar8)(0x5a);
    b[i] = t;
    int4 c = x > (float4)(2.0f);
    out[i] = c.x + c.y * 2 + c.z * 4 + c.w * 8 + (any(c) ? 100 : 0) + (all(c) ? 1000 : 0);
}

kernel void vload_vstore(global const char *c, global short *s, global float *f, global int *out)
{
    int i = get_global_id(0);
    char3 a = vload3(i, c);
    vstore3(convert_short3(a) * (short3)(3), i, s);
    float2 p = vload2(i, f);
    vstore2(p.yx + 1.0f, i, f);
    char8 e = vload8(0, c + i);
    out[i] = e.s0 + e.s1 * 2 + e.s7 * 3;
}

kernel void conversions(global const float *f, global int *out)
{
    int i = get_global_id(0);
    float x = f[i];
    int r = convert_int_sat(x) ^ (int)convert_uchar_sat(x) ^ ((int)convert_short_sat_rte(x) << 8);
    r += convert_int_rtp(clamp(x, -1e6f, 1e6f)) * 3 + convert_int_rtn(clamp(x, -1e6f, 1e6f)) * 5;
    out[i] = r;
}

kernel void half_storage(global const half *h, global half *g, global float *f)
{
    int i = get_global_id(0);
    float x = vload_half(i, h);
    vstore_half(x * 2.0f, i, g);
    f[i] = x;
}


/* Every store is of one value to one place for the whole group, if anyone comes there. */
kernel void uniform_store(global int *words, global uchar *bytes, global short2 *pairs, int limit)
{
    int g = get_group_id(0), l = get_local_id(0);
    if (l >= limit)
        return;
    words[g] = limit;
    for (int k = 0; k < 64; k += 8) {
        if (l < k)
            break;
        bytes[64 * g + k] = k + 1;
    }
    if (l == 13)
        pairs[g] = (short2)(limit, g);
}

kernel void uniform_branch(global int *out, int mode, int n)
{
    int i = get_global_id(0), r = i;
    if (mode == 1) {
        for (int k = 0; k < n; k++)
            r = r * 5 + k;
    } else if (mode == 2) {
        r = n;
        while (r > 10)
            r -= 7;
        r += i;
    } else {
        r = ~i;
    }
    out[i] = r;
}

kernel void pressure(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int v[48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = in[i + k];
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int k = 0; k < 48; k++)
            v[k] = v[k] * 3 + (v[(k * 5 + 7) % 48] ^ v[(k * 11 + 1) % 48]);
    int s = 0;
#pragma unroll
    for (int k = 0; k < 48; k++)
        s = s * 7 + v[k];
    out[i] = s;
}

constant int squares[4] = {0, 1, 4, 9};
constant int cubes[6] = {0, 1, 8, 27, 64, 125};
constant int *constant tables[3] = {squares, cubes, &cubes[2]};
constant char *constant words[3] = {"six", "sieben", 0};
struct entry { short key; constant int *values; constant struct entry *next; };
constant struct entry entries[2] = {{100, cubes, &entries[1]}, {200, &squares[1], &entries[0]}};

kernel void constant_addresses(global int *out, int n)
{
    int i = get_global_id(0);
    constant char *word = words[i % 3];
    constant struct entry *e = &entries[i & 1];
    out[i] = tables[i % 3][n] + (word ? word[n] : -1) * 1000 + e->key + e->next->values[n] * 7;
}
