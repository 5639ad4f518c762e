/* Error conditions of programs and kernels. */
#include "api_errors.h"

static void CL_CALLBACK ended(cl_program p, void *flag)
{
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
}

static void wait_for(int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        ;
}

/* What `call` says while `start` is under way; once more if that has ended before. */
#define MEANWHILE(code, start, call)                                                               \
    for (unsigned attempt = 0; attempt < 20 && code != CL_INVALID_OPERATION; attempt++) {          \
        int built = 0;                                                                             \
        CHECK(start == CL_SUCCESS);                                                                \
        code = call;                                                                               \
        wait_for(&built);                                                                          \
    }

static cl_program of(const char *text)
{
    return clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
}

static void creation(void)
{
    const char *text = "kernel void k() {}", *null = NULL;
    const unsigned char *binary = (const unsigned char *)"no kernel binary", *no_binary = NULL;
    size_t size = 16, zero = 0;
    cl_int status;
    cl_device_id wrong = WRONG(cl_device_id);
    N(clCreateProgramWithSource, 1, clCreateProgramWithSource((cl_context)q, 1, &text, NULL, &err));
    N(clCreateProgramWithSource, 2, clCreateProgramWithSource(ctx, 0, &text, NULL, &err));
    N(clCreateProgramWithSource, 2, clCreateProgramWithSource(ctx, 1, NULL, NULL, &err));
    N(clCreateProgramWithSource, 2, clCreateProgramWithSource(ctx, 1, &null, NULL, &err));
#define BINARY(c, n, devices, sizes, binaries)                                                     \
    clCreateProgramWithBinary(c, n, devices, sizes, binaries, &status, &err)
    N(clCreateProgramWithBinary, 1, BINARY((cl_context)q, 1, &dev, &size, &binary));
    N(clCreateProgramWithBinary, 2, BINARY(ctx, 0, &dev, &size, &binary));
    N(clCreateProgramWithBinary, 2, BINARY(ctx, 1, NULL, &size, &binary));
    N(clCreateProgramWithBinary, 3, BINARY(ctx, 1, &dev, NULL, &binary));
    N(clCreateProgramWithBinary, 3, BINARY(ctx, 1, &dev, &size, NULL));
    N(clCreateProgramWithBinary, 3, BINARY(ctx, 1, &dev, &zero, &binary));
    CHECK(status == CL_INVALID_VALUE);
    N(clCreateProgramWithBinary, 3, BINARY(ctx, 1, &dev, &size, &no_binary));
    CHECK(status == CL_INVALID_VALUE);
    N(clCreateProgramWithBinary, 4, BINARY(ctx, 1, &wrong, &size, &binary));
    N(clCreateProgramWithBinary, 5, BINARY(ctx, 1, &dev, &size, &binary));
    CHECK(status == CL_INVALID_BINARY);
#define BUILT_IN(c, n, devices, names) clCreateProgramWithBuiltInKernels(c, n, devices, names, &err)
    N(clCreateProgramWithBuiltInKernels, 1, BUILT_IN((cl_context)q, 1, &dev, "k"));
    N(clCreateProgramWithBuiltInKernels, 2, BUILT_IN(ctx, 0, &dev, "k"));
    N(clCreateProgramWithBuiltInKernels, 2, BUILT_IN(ctx, 1, NULL, "k"));
    N(clCreateProgramWithBuiltInKernels, 3, BUILT_IN(ctx, 1, &dev, NULL));
    N(clCreateProgramWithBuiltInKernels, 3, BUILT_IN(ctx, 1, &dev, "k"));
    N(clCreateProgramWithBuiltInKernels, 4, BUILT_IN(ctx, 1, &wrong, ""));

    /* A constant of 32 bits, number 7, as SPIR-V. */
    static const cl_uint module[] = {0x07230203, 0x10000,      0, 4,  0, 4 << 16 | 71, 2, 1,
                                     7,          4 << 16 | 21, 1, 32, 0, 4 << 16 | 50, 1, 2,
                                     5};
    cl_program (*khr)(cl_context, const void *, size_t, cl_int *);
    *(void **)&khr = clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR");
    REQUIRE(khr);
#define IL(fn, create)                                                                             \
    N(fn, 1, create((cl_context)q, module, sizeof module, &err));                                  \
    N(fn, 3, create(ctx, NULL, sizeof module, &err));                                              \
    N(fn, 3, create(ctx, module, 0, &err));                                                        \
    N(fn, 4, create(ctx, bytes, 64, &err));                                                        \
    N(fn, 4, create(ctx, module, sizeof module - 1, &err))
    IL(clCreateProgramWithIL, clCreateProgramWithIL);
    IL(clCreateProgramWithILKHR, khr);
    cl_program il = clCreateProgramWithIL(ctx, module, sizeof module, &err);
    REQUIRE(il);
#define CONSTANT(p, id, size, value) clSetProgramSpecializationConstant(p, id, size, value)
    E(clSetProgramSpecializationConstant, 1, CONSTANT(WRONG(cl_program), 7, 4, bytes));
    E(clSetProgramSpecializationConstant, 1, CONSTANT(program, 7, 4, bytes));
    E(clSetProgramSpecializationConstant, 4, CONSTANT(il, 8, 4, bytes));
    E(clSetProgramSpecializationConstant, 5, CONSTANT(il, 7, 8, bytes));
    E(clSetProgramSpecializationConstant, 5, CONSTANT(il, 7, 4, NULL));
    clReleaseProgram(il);
    E(clSetProgramReleaseCallback, 1,
      clSetProgramReleaseCallback(WRONG(cl_program), (void (*)(cl_program, void *))ended, NULL));
    E(clSetProgramReleaseCallback, 2,
      clSetProgramReleaseCallback(program, (void (*)(cl_program, void *))ended, NULL));
    E(clRetainProgram, 1, clRetainProgram(WRONG(cl_program)));
    E(clReleaseProgram, 1, clReleaseProgram(WRONG(cl_program)));
}

static void builds(void)
{
    cl_device_id wrong = WRONG(cl_device_id);
    cl_program broken = of("kernel void k() { error }"), fresh = of("kernel void k() {}"),
               not_one = WRONG(cl_program);
    const char *name = "h.h";
#define BUILD(p, n, devices, options) clBuildProgram(p, n, devices, options, NULL, NULL)
    E(clBuildProgram, 1, BUILD(WRONG(cl_program), 0, NULL, ""));
    E(clBuildProgram, 2, BUILD(fresh, 1, NULL, ""));
    E(clBuildProgram, 2, BUILD(fresh, 0, &dev, ""));
    E(clBuildProgram, 3, clBuildProgram(fresh, 0, NULL, "", NULL, bytes));
    E(clBuildProgram, 4, BUILD(fresh, 1, &wrong, ""));
    E(clBuildProgram, 6, BUILD(fresh, 0, NULL, "-no-such-option"));
    E(clBuildProgram, 8, BUILD(broken, 0, NULL, ""));
    E(clBuildProgram, 10, BUILD(program, 0, NULL, ""));
    E(clBuildProgram, 11, BUILD(linked, 0, NULL, ""));
    cl_int code = CL_SUCCESS;
    MEANWHILE(code, clBuildProgram(fresh, 0, NULL, "", ended, &built), BUILD(fresh, 0, NULL, ""));
    E(clBuildProgram, 9, code);

#define COMPILE(p, n, devices, options, n_headers, headers, names)                                 \
    clCompileProgram(p, n, devices, options, n_headers, headers, names, NULL, NULL)
    E(clCompileProgram, 1, COMPILE(WRONG(cl_program), 0, NULL, "", 0, NULL, NULL));
    E(clCompileProgram, 1, COMPILE(fresh, 0, NULL, "", 1, &not_one, &name));
    E(clCompileProgram, 2, COMPILE(fresh, 0, NULL, "", 1, &other_program, &name));
    E(clCompileProgram, 3, COMPILE(fresh, 1, NULL, "", 0, NULL, NULL));
    E(clCompileProgram, 3, COMPILE(fresh, 0, &dev, "", 0, NULL, NULL));
    E(clCompileProgram, 4, COMPILE(fresh, 0, NULL, "", 1, NULL, &name));
    E(clCompileProgram, 4, COMPILE(fresh, 0, NULL, "", 1, &unbuilt, NULL));
    E(clCompileProgram, 4, COMPILE(fresh, 0, NULL, "", 0, &unbuilt, &name));
    E(clCompileProgram, 5, clCompileProgram(fresh, 0, NULL, "", 0, NULL, NULL, NULL, bytes));
    E(clCompileProgram, 6, COMPILE(fresh, 1, &wrong, "", 0, NULL, NULL));
    E(clCompileProgram, 7, COMPILE(fresh, 0, NULL, "-create-library", 0, NULL, NULL));
    E(clCompileProgram, 9, COMPILE(program, 0, NULL, "", 0, NULL, NULL));
    E(clCompileProgram, 10, COMPILE(from_binary, 0, NULL, "", 0, NULL, NULL));
    E(clCompileProgram, 10, COMPILE(linked, 0, NULL, "", 0, NULL, NULL));
    E(clCompileProgram, 12, COMPILE(broken, 0, NULL, "", 0, NULL, NULL));
    code = CL_SUCCESS;
    MEANWHILE(code, clCompileProgram(fresh, 0, NULL, "", 0, NULL, NULL, ended, &built),
              COMPILE(fresh, 0, NULL, "", 0, NULL, NULL));
    E(clCompileProgram, 8, code);

    cl_program mixed[2] = {object, unbuilt};
    cl_program undefined = of("void f(void); kernel void k2() { f(); }");
    CHECK(COMPILE(undefined, 0, NULL, "", 0, NULL, NULL) == CL_SUCCESS);
#define LINK(c, n, devices, options, n_inputs, inputs)                                             \
    clLinkProgram(c, n, devices, options, n_inputs, inputs, NULL, NULL, &err)
    N(clLinkProgram, 1, LINK((cl_context)q, 0, NULL, "", 1, &object));
    N(clLinkProgram, 2, LINK(other, 0, NULL, "", 1, &object));
    N(clLinkProgram, 3, LINK(ctx, 1, NULL, "", 1, &object));
    N(clLinkProgram, 3, LINK(ctx, 0, &dev, "", 1, &object));
    N(clLinkProgram, 4, LINK(ctx, 0, NULL, "", 0, &object));
    N(clLinkProgram, 4, LINK(ctx, 0, NULL, "", 1, NULL));
    N(clLinkProgram, 5, clLinkProgram(ctx, 0, NULL, "", 1, &object, NULL, bytes, &err));
    N(clLinkProgram, 6, LINK(ctx, 0, NULL, "", 1, &not_one));
    N(clLinkProgram, 7, LINK(ctx, 1, &wrong, "", 1, &object));
    N(clLinkProgram, 8, LINK(ctx, 0, NULL, "-D X", 1, &object));
    N(clLinkProgram, 10, LINK(ctx, 0, NULL, "", 2, mixed));
    cl_program p = LINK(ctx, 0, NULL, "", 1, &undefined); /* with its log */
    E(clLinkProgram, 12, err);
    CHECK(p && clReleaseProgram(p) == CL_SUCCESS);
    code = CL_SUCCESS;
    MEANWHILE(code, clCompileProgram(fresh, 0, NULL, "", 0, NULL, NULL, ended, &built),
              (p = LINK(ctx, 0, NULL, "", 1, &fresh), p ? clReleaseProgram(p) : err));
    E(clLinkProgram, 9, code);
    clReleaseProgram(undefined);
    clReleaseProgram(broken);
    clReleaseProgram(fresh);

    E(clUnloadPlatformCompiler, 1, clUnloadPlatformCompiler(WRONG(cl_platform_id)));
    E(clUnloadCompiler, 1, clUnloadCompiler());
    QUERY(clGetProgramInfo, 1, 2, 3, WRONG(cl_program), program, CL_PROGRAM_NUM_DEVICES);
    E(clGetProgramInfo, 4, clGetProgramInfo(unbuilt, CL_PROGRAM_NUM_KERNELS, 8, bytes, NULL));
    E(clGetProgramInfo, 4, clGetProgramInfo(unbuilt, CL_PROGRAM_KERNEL_NAMES, 64, bytes, NULL));
#define BUILD_INFO(p, d, name, size) clGetProgramBuildInfo(p, d, name, size, bytes, NULL)
    E(clGetProgramBuildInfo, 1, BUILD_INFO(WRONG(cl_program), dev, CL_PROGRAM_BUILD_STATUS, 8));
    E(clGetProgramBuildInfo, 2, BUILD_INFO(program, wrong, CL_PROGRAM_BUILD_STATUS, 8));
    E(clGetProgramBuildInfo, 3, BUILD_INFO(program, dev, 0x7777, 8));
    E(clGetProgramBuildInfo, 4, BUILD_INFO(program, dev, CL_PROGRAM_BUILD_STATUS, 1));
}

void test_programs(void)
{
    creation();
    builds();
}
