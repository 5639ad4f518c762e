/* cl_khr_extended_bit_ops and cl_khr_integer_dot_product, against the definitions bit by bit. */
#include "clu.h"

enum { N = 256 };

static const char bits_source[] = "\n\
#if !cl_khr_extended_bit_ops\n\
#error extended_bit_ops\n\
#endif\n\
#define KERNELS(T, S, U) \\\n\
kernel void one_##T(global ulong *out, const global T *a, const global T *b, const global uint2 *at) {\\\n\
  size_t i = get_global_id(0); uint o = at[i].x, n = at[i].y;\\\n\
  out[4 * i] = (ulong)(U)bitfield_insert(a[i], b[i], o, n); out[4 * i + 1] = (ulong)(long)(S)bitfield_extract_signed(a[i], o, n);\\\n\
  out[4 * i + 2] = bitfield_extract_unsigned(a[i], o, n); out[4 * i + 3] = (ulong)(U)bit_reverse(a[i]); }\\\n\
kernel void four_##T(global ulong *out, const global T *a, const global T *b, const global uint2 *at) {\\\n\
  size_t i = get_global_id(0); uint o = at[i].x, n = at[i].y;\\\n\
  T##4 x = (T##4)(0, a[i], 0, 0), y = (T##4)(0, b[i], 0, 0); T##3 z = (T##3)(0, 0, a[i]); T##16 w = (T##16)(a[i]);\\\n\
  out[4 * i] = (ulong)(U)bitfield_insert(x, y, o, n).y; out[4 * i + 1] = (ulong)(long)(S)bitfield_extract_signed(z, o, n).z;\\\n\
  out[4 * i + 2] = bitfield_extract_unsigned(w, o, n).sd; out[4 * i + 3] = (ulong)(U)bit_reverse(z).z; }\n\
KERNELS(char, char, uchar) KERNELS(uchar, char, uchar) KERNELS(short, short, ushort) KERNELS(ushort, short, ushort)\n\
KERNELS(int, int, uint) KERNELS(uint, int, uint) KERNELS(long, long, ulong) KERNELS(ulong, long, ulong)\n\
";

static const char dot_source[] = "\n\
#if !cl_khr_integer_dot_product || !__opencl_c_integer_dot_product_input_4x8bit || !__opencl_c_integer_dot_product_input_4x8bit_packed\n\
#error integer_dot_product\n\
#endif\n\
kernel void dots(global uint *out, const global uint *a, const global uint *b, const global uint *c) {\n\
  size_t i = get_global_id(0); uint x = a[i], y = b[i], s = c[i]; global uint *o = out + 16 * i;\n\
  o[0] = dot(as_uchar4(x), as_uchar4(y)); o[1] = as_uint(dot(as_char4(x), as_char4(y)));\n\
  o[2] = as_uint(dot(as_uchar4(x), as_char4(y))); o[3] = as_uint(dot(as_char4(x), as_uchar4(y)));\n\
  o[4] = dot_acc_sat(as_uchar4(x), as_uchar4(y), s); o[5] = as_uint(dot_acc_sat(as_char4(x), as_char4(y), as_int(s)));\n\
  o[6] = as_uint(dot_acc_sat(as_uchar4(x), as_char4(y), as_int(s))); o[7] = as_uint(dot_acc_sat(as_char4(x), as_uchar4(y), as_int(s)));\n\
  o[8] = dot_4x8packed_uu_uint(x, y); o[9] = as_uint(dot_4x8packed_ss_int(x, y));\n\
  o[10] = as_uint(dot_4x8packed_us_int(x, y)); o[11] = as_uint(dot_4x8packed_su_int(x, y));\n\
  o[12] = dot_acc_sat_4x8packed_uu_uint(x, y, s); o[13] = as_uint(dot_acc_sat_4x8packed_ss_int(x, y, as_int(s)));\n\
  o[14] = as_uint(dot_acc_sat_4x8packed_us_int(x, y, as_int(s))); o[15] = as_uint(dot_acc_sat_4x8packed_su_int(x, y, as_int(s))); }\n\
";

static cl_ulong random64(void)
{
    return (cl_ulong)clu_random() << 32 ^ (cl_ulong)clu_random() << 16 ^ clu_random();
}

static void bits(cl_program p, const char *type, unsigned size)
{
    static unsigned char a[N * 8], b[N * 8];
    static cl_uint at[N][2];
    static cl_ulong got[N][4];
    unsigned width = 8 * size;
    for (unsigned i = 0; i < N; i++) {
        cl_ulong x = random64(), y = random64();
        memcpy(a + i * size, &x, size);
        memcpy(b + i * size, &y, size);
        at[i][0] = clu_random() % (width + 1);
        at[i][1] = clu_random() % (width - at[i][0] + 1);
        if (i < 4) { /* nothing, nothing at the end, all, the uppermost */
            at[i][0] = i == 1 ? width : i == 3 ? width - 1 : 0;
            at[i][1] = i == 2 ? width : i == 3;
        }
    }
    for (unsigned vector = 0; vector < 2; vector++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", vector ? "four" : "one", type);
        cl_mem m[4] = {clu_buffer(sizeof got, NULL), clu_buffer(N * size, a),
                       clu_buffer(N * size, b), clu_buffer(sizeof at, at)};
        cl_kernel k = clu_kernel(p, name);
        size_t items = N;
        for (cl_uint n = 0; n < 4; n++)
            clu_arg_mem(k, n, m[n]);
        CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        clu_read(m[0], sizeof got, got);
        for (unsigned i = 0; i < N; i++) {
            cl_ulong x = 0, y = 0, want[4] = {0};
            unsigned o = at[i][0], n = at[i][1];
            memcpy(&x, a + i * size, size);
            memcpy(&y, b + i * size, size);
            for (unsigned bit = 0; bit < width; bit++) {
                bool in = bit >= o && bit < o + n;
                want[0] |= (in ? y >> (bit - o) & 1 : x >> bit & 1) << bit;
                want[3] |= (x >> bit & 1) << (width - 1 - bit);
            }
            for (unsigned bit = 0; bit < 64 && n; bit++)
                want[1] |= (x >> (o + (bit < n ? bit : n - 1)) & 1) << bit;
            for (unsigned bit = 0; bit < n; bit++)
                want[2] |= (x >> (o + bit) & 1) << bit;
            for (unsigned r = 0; r < 4; r++)
                CHECKF(got[i][r] == want[r], "%s: %u bits at %u of %llx: result %u %llx for %llx",
                       name, n, o, (unsigned long long)x, r, (unsigned long long)got[i][r],
                       (unsigned long long)want[r]);
        }
        for (unsigned n = 0; n < 4; n++)
            CL(clReleaseMemObject(m[n]));
        CL(clReleaseKernel(k));
    }
}

static void dots(void)
{
    static cl_uint a[N], b[N], c[N], got[N][16];
    cl_program p = clu_build(dot_source, "-cl-std=CL3.0");
    for (unsigned i = 0; i < N; i++) {
        a[i] = i < 4 ? (i & 1 ? 0x80808080 : 0xffffffff) : (cl_uint)random64();
        b[i] = i < 4 ? (i & 2 ? 0x80808080 : 0x7f7f7f7f) : (cl_uint)random64();
        c[i] = i % 4 == 0   ? 0xfffffff0
               : i % 4 == 1 ? 0x7ffffff0
               : i % 4 == 2 ? 0x80000010
                            : (cl_uint)random64();
    }
    cl_mem m[4] = {clu_buffer(sizeof got, NULL), clu_buffer(sizeof a, a), clu_buffer(sizeof b, b),
                   clu_buffer(sizeof c, c)};
    cl_kernel k = clu_kernel(p, "dots");
    size_t items = N;
    for (cl_uint n = 0; n < 4; n++)
        clu_arg_mem(k, n, m[n]);
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    clu_read(m[0], sizeof got, got);
    for (unsigned i = 0; i < N; i++)
        for (unsigned r = 0; r < 16; r++) {
            /* uu, ss, us, su; every second four with what is added */
            bool sa = (r & 3) == 1 || (r & 3) == 3, sb = (r & 3) == 1 || (r & 3) == 2;
            cl_long sum = 0;
            for (unsigned n = 0; n < 32; n += 8) {
                int x = sa ? (int8_t)(a[i] >> n) : (uint8_t)(a[i] >> n);
                int y = sb ? (int8_t)(b[i] >> n) : (uint8_t)(b[i] >> n);
                sum += x * y;
            }
            if (r & 4) {
                sum += r & 3 ? (cl_long)(cl_int)c[i] : (cl_long)c[i];
                cl_long least = r & 3 ? INT32_MIN : 0, most = r & 3 ? INT32_MAX : UINT32_MAX;
                sum = sum < least ? least : sum > most ? most : sum;
            }
            CHECKF(got[i][r] == (cl_uint)sum, "dot %u of %x %x and %x: %x for %x", r, a[i], b[i],
                   c[i], got[i][r], (cl_uint)sum);
        }
    for (unsigned n = 0; n < 4; n++)
        CL(clReleaseMemObject(m[n]));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(p));
}

int main(void)
{
    static const struct {
        const char *name;
        unsigned size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2},
                 {"int", 4},  {"uint", 4},  {"long", 8},  {"ulong", 8}};
    cl_bitfield inputs;
    clu_open();
    cl_program p = clu_build(bits_source, "");
    for (unsigned n = 0; n < sizeof types / sizeof *types; n++)
        bits(p, types[n].name, types[n].size);
    CL(clReleaseProgram(p));
    CL(clGetDeviceInfo(clu_device, 0x1073 /* CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR */,
                       sizeof inputs, &inputs, NULL));
    CHECK(inputs == 3);
    dots();
    clu_close();
    return utest_end();
}
