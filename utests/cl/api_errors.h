/* What the parts of the test of error conditions share: the table of conditions (api_errors.def),
 * the objects that calls are made with, and the macros that make one call for one condition. */
#ifndef API_ERRORS_H
#define API_ERRORS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <stdint.h>
#include <string.h>

#include "utest.h"

extern cl_platform_id platform;
extern cl_device_id dev;
extern cl_context ctx, other; /* of the same device */
extern cl_command_queue q, other_q, profiled_q;
extern cl_mem m, other_m, sub, host_read, host_write, host_none, only_read, only_write;
extern cl_mem im1, im2, im3, layers, im2_float, im_pixels, pixels, other_im, im_host_read,
    im_host_write, im_host_none;
extern cl_sampler sampler, other_sampler;
extern cl_program program, unbuilt, object, from_binary, linked, other_program;
extern cl_kernel k, other_k, unset, args_k, image_k, reqd_k;
extern cl_event done, other_done, failed, user;
extern cl_int err;
extern char bytes[4096];
extern size_t zero3[3], one3[3], big3[3];

/* A live object of another kind: the loader finds its way to the driver, which must notice. */
#define WRONG(type) ((type)(void *)(ctx_of_wrong))
extern void *ctx_of_wrong;

/* Checks a code against the row, and notes that the row has been provoked. */
void provoked(const char *function, int number, cl_int code, int line);
/* For functions that have no code: whether the result is what the row says. */
void provoked_result(const char *function, int number, bool as_said, int line);
/* What came of the function without memory: whether it has failed. A device without it
 * says nothing. */
void no_memory(const char *function, bool here, bool failed);
/* A row that this device, of all, can't have. */
void not_here(const char *function, int number);

#define E(fn, n, ...) provoked(#fn, n, (__VA_ARGS__), __LINE__)
/* A creator: no object, and the code in err. */
#define N(fn, n, ...)                                                                              \
    do {                                                                                           \
        err = 12345;                                                                               \
        CHECKF((__VA_ARGS__) == NULL, #fn " %d returned an object", n);                            \
        provoked(#fn, n, err, __LINE__);                                                           \
    } while (0)
/* A query: row nh with another object, nu with an unknown name, ns with too little room. */
#define QUERY(fn, nh, nu, ns, wrong, good, name)                                                   \
    do {                                                                                           \
        E(fn, nh, fn(wrong, name, sizeof bytes, bytes, NULL));                                     \
        E(fn, nu, fn(good, 0x7777, sizeof bytes, bytes, NULL));                                    \
        memset(bytes, 0x5a, 8);                                                                    \
        E(fn, ns, fn(good, name, 0, bytes, NULL));                                                 \
        CHECK(bytes[0] == 0x5a);                                                                   \
    } while (0)
/* Wait lists: row nc of another context, then three malformed ones. CALL(count, list) gives a code.
 */
#define WAITS(fn, nc, n1, n2, n3, CALL)                                                            \
    do {                                                                                           \
        cl_event wrong_ = WRONG(cl_event);                                                         \
        E(fn, nc, CALL(1, &other_done));                                                           \
        E(fn, n1, CALL(1, NULL));                                                                  \
        E(fn, n2, CALL(0, &done));                                                                 \
        E(fn, n3, CALL(1, &wrong_));                                                               \
    } while (0)

void test_platforms(void);
void test_buffers(void);
void test_images(void);
void test_programs(void);
void test_kernels(void);
void test_events(void);
void test_absent(void);
void test_svm(void);
void test_memory(void);
void test_external(void);

#endif
