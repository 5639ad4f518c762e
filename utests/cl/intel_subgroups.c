/* cl_intel_subgroups with its _short, _char and _long: shuffles through two values, blocks of
 * buffers and images. What must come out is index arithmetic on what the host put in. */
#include "clu.h"

enum { ITEMS = 64, WIDTH = 96, HEIGHT = 13, MAX_SIMD = 32 };

static const char source[] = "\n\
#define KERNEL kernel __attribute__((intel_reqd_sub_group_size(SIZE)))\n\
#if !cl_intel_subgroups || !cl_intel_subgroups_short || !cl_intel_subgroups_char || !cl_intel_subgroups_long\n\
#error subgroups\n\
#endif\n\
KERNEL void shared(global int *out, const global long *in) {\n\
  size_t i = get_global_id(0); long x = in[i]; global int *o = out + 8 * i;\n\
  o[0] = sub_group_reduce_add(x) >> 32; o[1] = (int)sub_group_scan_inclusive_max((float)i); o[2] = sub_group_scan_exclusive_add((int)i);\n\
  o[3] = sub_group_broadcast((uint)i, 3u); o[4] = sub_group_any(i == 9); o[5] = sub_group_all(i != 9);\n\
  o[6] = get_sub_group_local_id() + 100 * get_sub_group_size() + 10000 * get_num_sub_groups(); sub_group_barrier(CLK_LOCAL_MEM_FENCE); }\n\
KERNEL void width(global uint *out) { out[get_global_id(0)] = get_max_sub_group_size(); }\n\
#define MOVES(T) KERNEL void moves_##T(global T *out, const global T *a, const global T *b, uint n) {\\\n\
  size_t i = get_global_id(0); T x = a[i], y = b[i]; global T *o = out + 8 * i;\\\n\
  o[0] = intel_sub_group_shuffle(x, (uint)(i * n) & 7); o[1] = intel_sub_group_shuffle_xor(x, n & 7);\\\n\
  o[2] = intel_sub_group_shuffle_down(x, y, n); o[3] = intel_sub_group_shuffle_up(x, y, n);\\\n\
  o[4] = intel_sub_group_shuffle_down(x, y, 1u); o[5] = intel_sub_group_shuffle_up(x, y, 1u);\\\n\
  o[6] = intel_sub_group_shuffle(x, 5u); o[7] = intel_sub_group_shuffle_down(x, y, get_max_sub_group_size()); }\n\
MOVES(int) MOVES(uint) MOVES(float) MOVES(long) MOVES(ulong) MOVES(short) MOVES(ushort) MOVES(char) MOVES(uchar)\n\
MOVES(int2) MOVES(uint4) MOVES(float8) MOVES(int16) MOVES(ushort2) MOVES(short16) MOVES(char4)\n\
KERNEL void moves_int3(global int *out, const global int *a, const global int *b, uint n) {\n\
  size_t i = get_global_id(0); int3 x = vload3(i, a), y = vload3(i, b);\n\
  vstore3(intel_sub_group_shuffle_down(x, y, n), i, out); }\n\
#if cl_khr_fp16\n\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
MOVES(half)\n\
#endif\n\
#define BLOCKS(T, f) \\\n\
 KERNEL void read1##f(global T *out, const global T *in, uint n) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f(in + n + get_sub_group_id() * get_max_sub_group_size()); }\\\n\
 KERNEL void read2##f(global T##2 *out, const global T *in, uint n) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f##2(in + n + get_sub_group_id() * get_max_sub_group_size()); }\\\n\
 KERNEL void read4##f(global T##4 *out, const global T *in, uint n) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f##4(in + n + get_sub_group_id() * get_max_sub_group_size()); }\\\n\
 KERNEL void read8##f(global T##8 *out, const global T *in, uint n) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f##8(in + n + get_sub_group_id() * get_max_sub_group_size()); }\\\n\
 KERNEL void write1##f(global T *out, const global T *in, uint n) { \\\n\
  intel_sub_group_block_write##f(out + n + get_sub_group_id() * get_max_sub_group_size() * 2, in[get_global_id(0)]); }\\\n\
 KERNEL void write2##f(global T *out, const global T##2 *in, uint n) { \\\n\
  intel_sub_group_block_write##f##2(out + n + get_sub_group_id() * get_max_sub_group_size() * 2, in[get_global_id(0)]); }\\\n\
 KERNEL void write4##f(global T *out, const global T##4 *in, uint n) { \\\n\
  intel_sub_group_block_write##f##4(out + n + get_sub_group_id() * get_max_sub_group_size() * 4, in[get_global_id(0)]); }\\\n\
 KERNEL void write8##f(global T *out, const global T##8 *in, uint n) { \\\n\
  intel_sub_group_block_write##f##8(out + n + get_sub_group_id() * get_max_sub_group_size() * 8, in[get_global_id(0)]); }\\\n\
 KERNEL void image1##f(global T *out, read_only image2d_t im, int x, int y) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f(im, (int2)(x, y + get_sub_group_id())); }\\\n\
 KERNEL void image2##f(global T##2 *out, read_only image2d_t im, int x, int y) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f##2(im, (int2)(x, y + get_sub_group_id())); }\\\n\
 KERNEL void image4##f(global T##4 *out, read_only image2d_t im, int x, int y) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f##4(im, (int2)(x, y + get_sub_group_id())); }\\\n\
 KERNEL void image8##f(global T##8 *out, read_only image2d_t im, int x, int y) { \\\n\
  out[get_global_id(0)] = intel_sub_group_block_read##f##8(im, (int2)(x, y + get_sub_group_id())); }\\\n\
 KERNEL void draw1##f(const global T *in, write_only image2d_t im, int x, int y) { \\\n\
  intel_sub_group_block_write##f(im, (int2)(x, y), in[get_global_id(0)]); }\\\n\
 KERNEL void draw2##f(const global T##2 *in, write_only image2d_t im, int x, int y) { \\\n\
  intel_sub_group_block_write##f##2(im, (int2)(x, y), in[get_global_id(0)]); }\\\n\
 KERNEL void draw4##f(const global T##4 *in, write_only image2d_t im, int x, int y) { \\\n\
  intel_sub_group_block_write##f##4(im, (int2)(x, y), in[get_global_id(0)]); }\\\n\
 KERNEL void draw8##f(const global T##8 *in, write_only image2d_t im, int x, int y) { \\\n\
  intel_sub_group_block_write##f##8(im, (int2)(x, y), in[get_global_id(0)]); }\n\
BLOCKS(uint,) BLOCKS(uint, _ui) BLOCKS(ushort, _us) BLOCKS(uchar, _uc) BLOCKS(ulong, _ul)\n\
KERNEL void read16_uc(global uchar16 *out, const global uchar *in, uint n) { \n\
  out[get_global_id(0)] = intel_sub_group_block_read_uc16(in + n + get_sub_group_id() * get_max_sub_group_size()); }\n\
KERNEL void write16_uc(global uchar *out, const global uchar16 *in, uint n) { \n\
  intel_sub_group_block_write_uc16(out + n + get_sub_group_id() * get_max_sub_group_size() * 16, in[get_global_id(0)]); }\n\
#define SMALL(T) KERNEL void small_##T(global T *out, const global T *in) {\\\n\
  size_t i = get_global_id(0); T x = in[i]; global T *o = out + 6 * i;\\\n\
  o[0] = intel_sub_group_reduce_add(x); o[1] = intel_sub_group_scan_inclusive_max(x);\\\n\
  o[2] = intel_sub_group_scan_exclusive_add(x); o[3] = intel_sub_group_broadcast(x, 2u);\\\n\
  o[4] = intel_sub_group_broadcast((T##4)(x, x, 1, x), 3u).w; o[5] = intel_sub_group_reduce_min(x); }\n\
SMALL(short) SMALL(ushort) SMALL(char) SMALL(uchar)\n\
";

static cl_program program;
static unsigned simd;

static unsigned char a[1 << 15], b[1 << 15], got[1 << 16];

static void launch(cl_kernel k, size_t items)
{
    size_t group = ITEMS;
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, &group, 0, NULL, NULL));
    CL(clReleaseKernel(k));
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(clu_random() & 0x3f); /* any type, no NaN */
}

/* ---- shuffles ---- */

static void moves(const char *type, size_t size, unsigned n)
{
    char name[32];
    snprintf(name, sizeof name, "moves_%s", type);
    cl_kernel k = clu_kernel(program, name);
    cl_mem in = clu_buffer(ITEMS * size, a), other = clu_buffer(ITEMS * size, b),
           out = clu_buffer(ITEMS * 8 * size, NULL);
    bool is3 = !strcmp(type, "int3");
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, in);
    clu_arg_mem(k, 2, other);
    CL(clSetKernelArg(k, 3, sizeof n, &n));
    launch(k, ITEMS);
    clu_read(out, ITEMS * 8 * size, got);
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned lane = i % simd, first = i - lane;
        /* the lane from which each comes; from simd on of the second value */
        unsigned from[8] = {i * n & 7, lane ^ (n & 7), lane + n, 0, lane + 1, 0, 5, lane + simd};
        from[3] = lane >= n ? simd + lane - n : lane + simd - n;
        from[5] = lane >= 1 ? simd + lane - 1 : lane + simd - 1;
        for (unsigned r = is3 ? 2 : 0; r < (is3 ? 3 : 8); r++) {
            const unsigned char *want =
                from[r] < simd ? a + (first + from[r]) * size : b + (first + from[r] - simd) * size;
            const unsigned char *is = got + (is3 ? i : 8 * i + r) * size;
            CHECKF(!memcmp(is, want, size), "%s by %u: item %u, result %u", type, n, i, r);
        }
    }
    CL(clReleaseMemObject(in));
    CL(clReleaseMemObject(other));
    CL(clReleaseMemObject(out));
}

/* ---- small types ---- */

static void small(const char *type, size_t size, bool is_signed)
{
    char name[32];
    snprintf(name, sizeof name, "small_%s", type);
    cl_kernel k = clu_kernel(program, name);
    cl_mem in = clu_buffer(ITEMS * size, a), out = clu_buffer(ITEMS * 6 * size, NULL);
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, in);
    launch(k, ITEMS);
    clu_read(out, ITEMS * 6 * size, got);
    int x[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++)
        x[i] = size == 1 ? (is_signed ? (signed char)a[i] : a[i])
                         : (is_signed ? ((int16_t *)a)[i] : ((uint16_t *)a)[i]);
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned first = i - i % simd;
        int sum = 0, before = 0, most = x[first], least = x[first];
        for (unsigned n = first; n < first + simd; n++) {
            sum += x[n];
            before += n < i ? x[n] : 0;
            most = n <= i && x[n] > most ? x[n] : most;
            least = x[n] < least ? x[n] : least;
        }
        int want[6] = {sum, most, before, x[first + 2], x[first + 3], least};
        for (unsigned r = 0; r < 6; r++)
            CHECKF(!memcmp(got + (6 * i + r) * size, &want[r], size), "%s: item %u, result %u",
                   type, i, r);
    }
    CL(clReleaseMemObject(in));
    CL(clReleaseMemObject(out));
}

/* What cl_khr_subgroups has too, in every version of the language. */
static void shared(void)
{
    cl_long in[ITEMS];
    cl_int *o = (cl_int *)got;
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = (cl_long)i << 32;
    cl_kernel k = clu_kernel(program, "shared");
    cl_mem out = clu_buffer(ITEMS * 8 * 4, NULL), from = clu_buffer(sizeof in, in);
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, from);
    launch(k, ITEMS);
    clu_read(out, ITEMS * 8 * 4, got);
    for (unsigned i = 0; i < ITEMS; i++, o += 8) {
        unsigned lane = i % simd, first = i - lane, last = first + simd - 1;
        unsigned want[7] = {(first + last) * simd / 2,
                            i,
                            lane ? (first + i - 1) * lane / 2 : 0,
                            first + 3,
                            first <= 9 && 9 <= last,
                            first > 9 || 9 > last,
                            lane + 100 * simd + 10000 * (ITEMS / simd)};
        for (unsigned r = 0; r < 7; r++)
            CHECKF(o[r] == (cl_int)want[r], "shared: item %u, result %u: %d for %u", i, r, o[r],
                   want[r]);
    }
    CL(clReleaseMemObject(out));
    CL(clReleaseMemObject(from));
}

/* ---- blocks ---- */

static const struct {
    const char *name;
    unsigned size;
} kinds[] = {{"", 4}, {"_ui", 4}, {"_us", 2}, {"_uc", 1}, {"_ul", 8}};

static void buffer_blocks(const char *suffix, unsigned size, unsigned rows, unsigned start)
{
    char name[32];
    cl_mem in = clu_buffer(sizeof a, a), out = clu_buffer(sizeof b, b);
    snprintf(name, sizeof name, "read%u%s", rows, suffix);
    cl_kernel k = clu_kernel(program, name);
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, in);
    CL(clSetKernelArg(k, 2, sizeof start, &start));
    launch(k, ITEMS);
    clu_read(out, sizeof b, got);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned r = 0; r < rows; r++)
            CHECKF(!memcmp(got + (i * rows + r) * size, a + (start + i + r * simd) * size, size),
                   "%s: item %u, row %u", name, i, r);
    /* Blocks are written where 16 bytes are aligned. */
    unsigned at = (start * 16) & 63;
    snprintf(name, sizeof name, "write%u%s", rows, suffix);
    k = clu_kernel(program, name);
    CL(clEnqueueWriteBuffer(clu_queue, out, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, in);
    CL(clSetKernelArg(k, 2, sizeof at, &at));
    launch(k, ITEMS);
    clu_read(out, sizeof b, got);
    static unsigned char want[sizeof b];
    memcpy(want, b, sizeof b);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned r = 0; r < rows; r++) {
            unsigned apart = simd * (rows == 1 ? 2 : rows); /* 16 bytes at least */
            unsigned to = at + i / simd * apart + r * simd + i % simd;
            memcpy(want + to * size, a + (i * rows + r) * size, size);
        }
    CHECKF(!memcmp(got, want, sizeof b), "%s", name);
    CL(clReleaseMemObject(in));
    CL(clReleaseMemObject(out));
}

/* The byte at x of row y; beyond an edge what is at the edge, in whole pixels. */
static unsigned char byte_at(int x, int y, unsigned pixel)
{
    int end = WIDTH * (int)pixel, part = (x % (int)pixel + (int)pixel) % (int)pixel;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    x = x < 0 ? part : x >= end ? end - (int)pixel + part : x;
    return a[y * end + x];
}

static void image_blocks(const char *suffix, unsigned size, unsigned rows, int x, int y,
                         cl_image_format f, unsigned pixel)
{
    cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1}, bytes = WIDTH * HEIGHT * pixel;
    char name[32];
    cl_int e;
    cl_mem im = clCreateImage(clu_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &f, &d, a, &e);
    CL(e);
    cl_mem out = clu_buffer(sizeof b, b);
    snprintf(name, sizeof name, "image%u%s", rows, suffix);
    cl_kernel k = clu_kernel(program, name);
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, im);
    CL(clSetKernelArg(k, 2, sizeof x, &x));
    CL(clSetKernelArg(k, 3, sizeof y, &y));
    launch(k, ITEMS);
    clu_read(out, sizeof b, got);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned r = 0; r < rows; r++)
            for (unsigned n = 0; n < size; n++) {
                unsigned char is = got[(i * rows + r) * size + n];
                unsigned char want =
                    byte_at(x + (int)(i % simd * size + n), y + (int)(i / simd + r), pixel);
                CHECKF(is == want, "%s, pixels of %u bytes, %d %d: item %u, row %u: %u for %u",
                       name, pixel, x, y, i, r, is, want);
            }
    snprintf(name, sizeof name, "draw%u%s", rows, suffix);
    k = clu_kernel(program, name);
    clu_arg_mem(k, 0, out);
    clu_arg_mem(k, 1, im);
    CL(clSetKernelArg(k, 2, sizeof x, &x));
    CL(clSetKernelArg(k, 3, sizeof y, &y));
    CL(clEnqueueWriteBuffer(clu_queue, out, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    size_t one = simd;
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &one, &one, 0, NULL, NULL));
    CL(clReleaseKernel(k));
    CL(clEnqueueReadImage(clu_queue, im, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    static unsigned char want[sizeof a];
    memcpy(want, a, bytes);
    for (unsigned i = 0; i < simd; i++)
        for (unsigned r = 0; r < rows; r++)
            for (unsigned n = 0; n < size; n++) {
                int to_x = x + (int)(i * size + n), to_y = y + (int)r;
                if (to_x >= 0 && to_x < WIDTH * (int)pixel && to_y >= 0 && to_y < HEIGHT)
                    want[to_y * WIDTH * (int)pixel + to_x] = b[(i * rows + r) * size + n];
            }
    CHECKF(!memcmp(got, want, bytes), "%s, pixels of %u bytes, %d %d", name, pixel, x, y);
    CL(clReleaseMemObject(im));
    CL(clReleaseMemObject(out));
}

static void blocks(void)
{
    static const struct {
        cl_image_format format;
        unsigned pixel;
    } formats[] = {
        {{CL_R, CL_UNSIGNED_INT8}, 1}, {{CL_RGBA, CL_UNORM_INT8}, 4}, {{CL_RGBA, CL_FLOAT}, 16}};
    for (unsigned n = 0; n < sizeof kinds / sizeof *kinds; n++)
        for (unsigned rows = 1; rows <= 8; rows *= 2) {
            buffer_blocks(kinds[n].name, kinds[n].size, rows, 4); /* aligned to 4 bytes */
            for (unsigned f = 0; f < 3; f++) {
                /* no wider than the image */
                if (simd * kinds[n].size > WIDTH * formats[f].pixel)
                    continue;
                image_blocks(kinds[n].name, kinds[n].size, rows, 0, 1, formats[f].format,
                             formats[f].pixel);
            }
            /* over the edges, which some pixels of a row lie beyond */
            image_blocks(kinds[n].name, kinds[n].size, rows, -16, -2, formats[1].format, 4);
            image_blocks(kinds[n].name, kinds[n].size, rows, 4 * WIDTH - 20, HEIGHT - 3,
                         formats[1].format, 4);
        }
    buffer_blocks("_uc", 1, 16, 12);
}

int main(void)
{
    static const struct {
        unsigned simd;
        const char *version;
    } builds[] = {{8, ""}, {16, "-cl-std=CL3.0"}, {32, "-cl-std=CL2.0"}};
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"int", 4},    {"uint", 4},    {"float", 4},  {"long", 8},    {"ulong", 8},
                 {"short", 2},  {"ushort", 2},  {"char", 1},   {"uchar", 1},   {"int2", 8},
                 {"uint4", 16}, {"float8", 32}, {"int16", 64}, {"ushort2", 4}, {"short16", 32},
                 {"char4", 4},  {"int3", 12},   {"half", 2}};
    static char extensions[8192];
    clu_open();
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cl_intel_subgroups ") &&
          strstr(extensions, "cl_intel_subgroups_long"));
    fill(a, sizeof a);
    fill(b, sizeof b);
    for (unsigned n = 0; n < sizeof builds / sizeof *builds; n++) {
        char options[64];
        snprintf(options, sizeof options, "-DSIZE=%u %s", builds[n].simd, builds[n].version);
        program = clu_build(source, options);
        cl_mem out = clu_buffer(ITEMS * 4, NULL);
        cl_kernel k = clu_kernel(program, "width");
        clu_arg_mem(k, 0, out);
        launch(k, ITEMS);
        clu_read(out, 4, &simd);
        CL(clReleaseMemObject(out));
        CHECK(simd == builds[n].simd);
        for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
            if (!strcmp(types[t].name, "half") && !strstr(extensions, "cl_khr_fp16"))
                continue;
            moves(types[t].name, types[t].size, 3);
            moves(types[t].name, types[t].size, 7);
        }
        shared();
        small("short", 2, true);
        small("ushort", 2, false);
        small("char", 1, true);
        small("uchar", 1, false);
        blocks();
        CL(clReleaseProgram(program));
    }
    clu_close();
    return utest_end();
}
