/* beignet-doctor: why there is an OpenCL device of ours, or why not. It looks at the PCI devices,
 * the device nodes, the loader and the drivers that it is told of, and runs a kernel on each
 * device. It changes nothing. The exit status is 0 if every device of ours that there is computes,
 * and there is one.
 */
#include "gen/device.h"
#include "src/gpu/gpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CL/cl.h>

enum { INTEL = 0x8086, MAX_DEVICES = 8 };

/* ---- output: a line for each fact; advice is indented below ---- */
__attribute__((format(printf, 1, 2))) static void fact(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    printf("  ");
    vprintf(format, ap);
    printf("\n");
    va_end(ap);
}

__attribute__((format(printf, 1, 2))) static void problem(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    printf("  ! ");
    vprintf(format, ap);
    printf("\n");
    va_end(ap);
}

__attribute__((format(printf, 1, 2))) static void advice(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    printf("    -> ");
    vprintf(format, ap);
    printf("\n");
    va_end(ap);
}

/* ---- PCI ---- */
static unsigned long read_hex(const char *device, const char *file)
{
    char path[512];
    unsigned long v = 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", device, file);
    FILE *f = fopen(path, "re");
    if (f) {
        if (fscanf(f, "%lx", &v) != 1)
            v = 0;
        fclose(f);
    }
    return v;
}

/* The name of the device's kernel driver; "" if it has none. */
static void read_driver(const char *device, char *out, size_t size)
{
    char path[512], link[512];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/driver", device);
    ssize_t n = readlink(path, link, sizeof link - 1);
    link[n > 0 ? n : 0] = '\0';
    const char *base = strrchr(link, '/');
    snprintf(out, size, "%s", base ? base + 1 : "");
}

/* One display controller. True if it is one that we can drive. */
static bool look_at_gpu(const char *device)
{
    unsigned id = (unsigned)read_hex(device, "device");
    char driver[64];
    read_driver(device, driver, sizeof driver);
    if (read_hex(device, "vendor") != INTEL) {
        fact("%s: %04lx:%04x, not Intel's", device, read_hex(device, "vendor"), id);
        return false;
    }
    const struct gen_device *d = gen_device_by_id((uint16_t)id), *related = NULL;
    if (!d)
        related = gen_device_related((uint16_t)id, 0, 0);
    if (!d && !related) {
        fact("%s: 8086:%04x, not a GPU of Gen7, 7.5, 8 or 9", device, id);
        return false;
    }
    if (d)
        fact("%s: 8086:%04x, %s (%s, Gen%g)", device, id, d->marketing, d->codename, d->gen / 10.0);
    else
        fact("%s: 8086:%04x, not a known id, taken for a %s", device, id, related->codename);
    if (!driver[0]) {
        problem("no kernel driver has taken it");
        advice(
            "load i915 (modprobe i915); is it blocked, or nomodeset on the kernel's command line?");
    } else if (strcmp(driver, "i915")) {
        problem("its kernel driver is %s, not i915", driver);
        advice("let i915 have it (kernel command line: i915.force_probe=%04x)", id);
    }
    return true;
}

static void look_at_pci(void)
{
    unsigned n = 0, ours = 0;
    printf("GPUs on the PCI bus:\n");
    DIR *dir = opendir("/sys/bus/pci/devices");
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.' || read_hex(e->d_name, "class") >> 16 != 3)
            continue;
        n++;
        ours += look_at_gpu(e->d_name);
    }
    if (dir)
        closedir(dir);
    if (!n)
        problem("there is none");
    else if (!ours)
        problem("none is an Intel GPU of Gen7 to Gen9");
    if (!ours)
        advice("to try programs on a simulated one: gensim PROGRAM (package beignet-gensim)");
}

/* ---- nodes ---- */
struct node_notes {
    struct {
        char node[64];
        char reason[128];
    } at[64];
    unsigned n;
};

static void note_node(void *ctx, const char *node, const char *reason)
{
    struct node_notes *notes = ctx;
    if (notes->n == sizeof notes->at / sizeof *notes->at)
        return;
    snprintf(notes->at[notes->n].node, sizeof notes->at->node, "%s", node);
    snprintf(notes->at[notes->n].reason, sizeof notes->at->reason, "%s", reason);
    notes->n++;
}

/* Which group a node belongs to, and how to get into it. */
static void advise_group(const char *node)
{
    struct stat st;
    struct passwd *user = getpwuid(getuid());
    if (stat(node, &st))
        return;
    struct group *g = getgrgid(st.st_gid);
    if (!g || !strcmp(g->gr_name, "root"))
        advice("the node belongs to root alone: udev (package udev) gives it to group render");
    else
        advice("be a member of group %s: usermod -a -G %s %s, and log in again", g->gr_name,
               g->gr_name, user ? user->pw_name : "USER");
}

static void advise_node(const char *node, const char *reason)
{
    if (strstr(reason, "permission"))
        advise_group(node);
    else if (strstr(reason, "authenticated"))
        advice("a card node without a render node: run as the user of the X server (DISPLAY), or "
               "use a "
               "kernel from 3.17 on");
    else if (strstr(reason, "too old"))
        advice("use a newer kernel");
}

static void show_device(const struct gpu_info *info)
{
    fact("%s: %s, %u execution units", info->node, info->name, info->n_eus);
    for (unsigned i = 0; i < info->n_lacks; i++)
        fact("    %s", info->lacks[i]);
}

static unsigned look_at_nodes(void)
{
    struct gpu *gpus[MAX_DEVICES];
    struct node_notes notes = {.n = 0};
    printf("Device nodes:\n");
    if (access("/dev/dri", F_OK)) {
        problem("there is no /dev/dri");
        advice("the kernel has no graphics driver loaded, or the container has no access to it "
               "(docker: --device /dev/dri)");
    }
    unsigned n = gpu_open_all(gpus, MAX_DEVICES, note_node, &notes);
    for (unsigned i = 0; i < n; i++) {
        show_device(gpu_get_info(gpus[i]));
        gpu_close(gpus[i]);
    }
    for (unsigned i = 0; i < notes.n; i++) {
        if (n)
            fact("%s: not used: %s", notes.at[i].node, notes.at[i].reason);
        else
            problem("%s: %s", notes.at[i].node, notes.at[i].reason);
        advise_node(notes.at[i].node, notes.at[i].reason);
    }
    if (!n && !notes.n && !access("/dev/dri", F_OK))
        problem("no node of a GPU in /dev/dri");
    return n;
}

/* ---- drivers and the loader ---- */
/* The first word of an ICD file: the library. */
static bool read_icd(const char *path, char *library, size_t size)
{
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(library, (int)size, f);
    if (f)
        fclose(f);
    if (ok)
        library[strcspn(library, " \t\r\n")] = '\0';
    return ok && library[0];
}

/* True if it is ours. */
static bool look_at_icd(const char *folder, const char *name)
{
    char path[512], library[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!read_icd(path, library, sizeof library)) {
        problem("%s: can't be read, or is empty", path);
        return false;
    }
    void *lib = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!lib) {
        problem("%s: %s", name, dlerror());
        return strstr(name, "beignet") != NULL;
    }
    bool ours = strstr(library, "/libcl.so") != NULL && strstr(name, "beignet");
    fact("%s: %s%s", name, library, ours ? " (this one)" : "");
    return ours;
}

static void look_at_icds(void)
{
    const char *folder = getenv("OCL_ICD_VENDORS");
    unsigned n = 0, ours = 0;
    if (!folder || !*folder)
        folder = "/etc/OpenCL/vendors";
    printf("OpenCL drivers in %s:\n", folder);
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *end = strrchr(e->d_name, '.');
        if (!end || strcmp(end, ".icd"))
            continue;
        n++;
        ours += look_at_icd(folder, e->d_name);
    }
    if (dir)
        closedir(dir);
    if (!n)
        problem("there are none");
    else if (!ours)
        problem("beignet is not among them");
    if (!ours)
        advice("install package beignet-opencl-icd");
}

/* ---- a kernel on each device ---- */
/* The API by way of the loader, as programs have it. */
#define API(X)                                                                                     \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clCreateKernel)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clReleaseMemObject)                                                                          \
    X(clReleaseKernel)                                                                             \
    X(clReleaseProgram)                                                                            \
    X(clReleaseCommandQueue)                                                                       \
    X(clReleaseContext)

static struct {
#define MEMBER(name) __typeof__(&name) name;
    API(MEMBER)
#undef MEMBER
} cl;

static bool load_api(void)
{
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        problem("no OpenCL loader: %s", dlerror());
        advice("install package ocl-icd-libopencl1");
        return false;
    }
#define LOOK_UP(name)                                                                              \
    if (!(*(void **)&cl.name = dlsym(lib, #name))) {                                               \
        problem("the loader has no %s", #name);                                                    \
        return false;                                                                              \
    }
    API(LOOK_UP)
#undef LOOK_UP
    return true;
}

/* Integers, floats; local memory and a barrier where the device has them. */
static const char source[] =
    "#ifdef WITHOUT_LOCAL\n"
    "kernel void check(global uint *out, global uint *tmp, uint n) {\n"
    "#else\n"
    "kernel void check(global uint *out, local uint *tmp, uint n) {\n"
    "#endif\n"
    "    uint l = get_local_id(0), size = get_local_size(0), first = get_global_id(0) - l;\n"
    "#ifdef WITHOUT_LOCAL\n"
    "    l = size - 1 - l;\n"
    "    out[get_global_id(0)] = n * (first + l) + (uint)sqrt((float)(l * l));\n"
    "#else\n"
    "    tmp[l] = n * (first + l) + (uint)sqrt((float)(l * l));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = tmp[size - 1 - l];\n"
    "#endif\n"
    "}\n";

struct trial {
    cl_ulong local_bytes; /* of the device */
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
};

/* NULL, or what has failed; *err then is its code. */
static const char *trial_run(struct trial *t, cl_device_id dev, cl_int *err)
{
    enum { ITEMS = 4096, GROUP = 64, FACTOR = 7 };
    const char *text = source;
    cl_uint factor = FACTOR, out[ITEMS];
    size_t items = ITEMS, group = GROUP;
    *err = cl.clGetDeviceInfo(dev, CL_DEVICE_LOCAL_MEM_SIZE, sizeof t->local_bytes, &t->local_bytes,
                              NULL);
    if (*err)
        return "clGetDeviceInfo";
    bool has_local = t->local_bytes >= GROUP * sizeof(cl_uint);
    t->context = cl.clCreateContext(NULL, 1, &dev, NULL, NULL, err);
    if (*err)
        return "clCreateContext";
    t->queue = cl.clCreateCommandQueue(t->context, dev, 0, err);
    if (*err)
        return "clCreateCommandQueue";
    t->program = cl.clCreateProgramWithSource(t->context, 1, &text, NULL, err);
    if (*err)
        return "clCreateProgramWithSource";
    *err = cl.clBuildProgram(t->program, 1, &dev, has_local ? "" : "-DWITHOUT_LOCAL", NULL, NULL);
    if (*err)
        return "clBuildProgram";
    t->kernel = cl.clCreateKernel(t->program, "check", err);
    if (*err)
        return "clCreateKernel";
    t->buffer = cl.clCreateBuffer(t->context, CL_MEM_READ_WRITE, sizeof out, NULL, err);
    if (*err)
        return "clCreateBuffer";
    *err = cl.clSetKernelArg(t->kernel, 0, sizeof t->buffer, &t->buffer);
    if (!*err)
        *err = has_local ? cl.clSetKernelArg(t->kernel, 1, GROUP * sizeof(cl_uint), NULL)
                         : cl.clSetKernelArg(t->kernel, 1, sizeof t->buffer, &t->buffer);
    if (!*err)
        *err = cl.clSetKernelArg(t->kernel, 2, sizeof factor, &factor);
    if (*err)
        return "clSetKernelArg";
    *err = cl.clEnqueueNDRangeKernel(t->queue, t->kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    if (*err)
        return "clEnqueueNDRangeKernel";
    *err = cl.clEnqueueReadBuffer(t->queue, t->buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    if (*err)
        return "clEnqueueReadBuffer";
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned l = GROUP - 1 - i % GROUP;
        if (out[i] != FACTOR * (i - i % GROUP + l) + l)
            return "the result";
    }
    return NULL;
}

static void trial_end(struct trial *t)
{
    if (t->buffer)
        cl.clReleaseMemObject(t->buffer);
    if (t->kernel)
        cl.clReleaseKernel(t->kernel);
    if (t->program)
        cl.clReleaseProgram(t->program);
    if (t->queue)
        cl.clReleaseCommandQueue(t->queue);
    if (t->context)
        cl.clReleaseContext(t->context);
}

static bool try_device(cl_device_id dev)
{
    struct trial t = {0};
    char name[256] = "?";
    cl_int err = CL_SUCCESS;
    cl.clGetDeviceInfo(dev, CL_DEVICE_NAME, sizeof name, name, NULL);
    const char *failed = trial_run(&t, dev, &err);
    if (failed && err)
        problem("%s: %s fails (%d)", name, failed, err);
    else if (failed)
        problem("%s: computes wrong values", name);
    else
        fact("%s: computes%s", name, t.local_bytes ? "" : ", without local memory");
    if (err == CL_COMPILER_NOT_AVAILABLE || (failed && !strcmp(failed, "clBuildProgram"))) {
        char log[2048] = "";
        cl.clGetProgramBuildInfo(t.program, dev, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        advice("the compiler, beignet-cc, says: %s", log[0] ? log : "nothing; is it installed?");
    } else if (failed) {
        advice("look at the kernel's messages (dmesg), and at what BEIGNET_DEBUG=all prints");
    }
    trial_end(&t);
    return !failed;
}

/* True if there are devices of ours and all compute. */
static bool try_all(void)
{
    cl_platform_id platforms[32];
    cl_device_id devices[MAX_DEVICES];
    cl_uint n = 0, n_devices = 0;
    bool ok = true;
    printf("OpenCL:\n");
    if (!load_api())
        return false;
    if (cl.clGetPlatformIDs(32, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && i < 32; i++) {
        char name[128] = "";
        cl_uint here = 0;
        cl.clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "beignet")) {
            fact("another platform: %s", name);
            continue;
        }
        if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &here))
            here = 0;
        for (cl_uint k = 0; k < here && k < MAX_DEVICES; k++)
            ok &= try_device(devices[k]);
        n_devices += here;
    }
    if (!n_devices)
        problem("no device of beignet's");
    return ok && n_devices;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("usage: beignet-doctor\nTells why there is an OpenCL device of beignet's, or why "
               "not, and "
               "tries it.\n");
        return strcmp(argv[1], "--help") ? 2 : 0;
    }
    look_at_pci();
    unsigned n = look_at_nodes();
    look_at_icds();
    bool ok = try_all();
    if (n && !ok)
        printf("There is a GPU, but OpenCL does not work on it.\n");
    else
        printf(ok ? "All is well.\n" : "There is no GPU that beignet can use.\n");
    return !ok;
}
