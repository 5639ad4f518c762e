/* What Intel's own driver writes without a GPU: it can record its submissions for a family of
 * devices in a file (AUB). Made here anew for each family, read back (physical memory, page tables,
 * ring), taken apart by gen's command table, and run on the simulated device; results must be
 * right. Skipped where the driver is not installed.
 *
 * The file is records of little-endian dwords: type 7, opcode 2Eh, kind in bits 22:16, dwords - 1
 * in bits 15:0. Kind 6 writes memory: address in dwords 1 and 2, address space in bits 31:28 and a
 * hint in bits 27:20 of dword 3, bytes in dword 4, data. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/cmd.h"
#include "sim/hw/hw.h"
#include "utest.h"

enum {
    N = 1024,
    LOCAL = 64,
    K = 5,
    WIDTH = 64, /* of the image, RGBA8: two Y tiles */
    HEIGHT = 32,
    PAGE = 4096,
    N_KERNELS = 4,
};

static uint32_t input(unsigned i)
{
    return 1000003u * i + 17;
}

/* ---- the program that the driver records ---- */
static const char source[] =
    "kernel void add(global uint *c, global const uint *b, uint k) {\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = b[i] + k;\n"
    "}\n"
    "kernel void reverse(global uint *c, global const uint *b, local uint *t) {\n"
    "    size_t i = get_local_id(0), n = get_local_size(0);\n"
    "    t[n - 1 - i] = b[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    c[get_global_id(0)] = t[i];\n"
    "}\n"
    "kernel void private_array(global uint *c, global const uint *b, uint k) {\n"
    "    uint a[400], i = get_global_id(0);\n"
    "    for (uint j = 0; j < 400; j++) a[j] = b[(i + j) & 1023] * j;\n"
    "    uint s = 0;\n"
    "    for (uint j = 0; j < 400; j += k) s += a[(j * 7 + i) % 400];\n"
    "    c[i] = s;\n"
    "}\n"
    "kernel void picture(read_only image2d_t in, sampler_t s, write_only image2d_t out) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(out, at, read_imageui(in, s, at).wzyx);\n"
    "}\n";

static cl_mem buffer(cl_context ctx, const uint32_t *from)
{
    cl_mem m = clCreateBuffer(ctx, from ? CL_MEM_COPY_HOST_PTR : 0, N * 4, (void *)from, NULL);
    REQUIRE(m);
    return m;
}

static int make(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err = 0;
    static uint32_t b[N], pixels[WIDTH * HEIGHT];
    for (unsigned i = 0; i < N; i++)
        b[i] = input(i);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = input(i);
    REQUIRE(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) == CL_SUCCESS);
    cl_context ctx = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    REQUIRE(ctx);
    cl_command_queue q = clCreateCommandQueue(ctx, device, CL_QUEUE_PROFILING_ENABLE, &err);
    const char *text = source;
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    REQUIRE(q && p && clBuildProgram(p, 1, &device, "", NULL, NULL) == CL_SUCCESS);
    static const char *const names[3] = {"add", "reverse", "private_array"};
    cl_mem mb = buffer(ctx, b);
    size_t global[2] = {N, 1}, local[2] = {LOCAL, 1};
    const uint32_t k = K;
    for (unsigned i = 0; i < 3; i++) {
        cl_kernel kernel = clCreateKernel(p, names[i], &err);
        cl_mem mc = buffer(ctx, NULL);
        err |= clSetKernelArg(kernel, 0, sizeof mc, &mc);
        err |= clSetKernelArg(kernel, 1, sizeof mb, &mb);
        err |= i == 1 ? clSetKernelArg(kernel, 2, LOCAL * 4, NULL)
                      : clSetKernelArg(kernel, 2, sizeof k, &k);
        err |= clEnqueueNDRangeKernel(q, kernel, 1, NULL, global, local, 0, NULL, NULL);
        REQUIRE(err == CL_SUCCESS);
    }
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem in = clCreateImage(ctx, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &err);
    cl_mem to = clCreateImage(ctx, 0, &format, &desc, NULL, &err);
    cl_sampler s =
        clCreateSampler(ctx, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
    cl_kernel kernel = clCreateKernel(p, "picture", &err);
    REQUIRE(in && to && s && kernel);
    err |= clSetKernelArg(kernel, 0, sizeof in, &in);
    err |= clSetKernelArg(kernel, 1, sizeof s, &s);
    err |= clSetKernelArg(kernel, 2, sizeof to, &to);
    global[0] = WIDTH;
    global[1] = HEIGHT;
    err |= clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS && clFinish(q) == CL_SUCCESS);
    return 0;
}

/* Runs this program in a directory, recording for a family. */
static bool record(const char *dir, const char *family)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/intel.icd", 1);
        setenv("NEO_CACHE_PERSISTENT", "0", 1);
        setenv("NEOReadDebugKeys", "1", 1);
        setenv("SetCommandStreamReceiver", "1", 1);
        setenv("ProductFamilyOverride", family, 1);
        if (chdir(dir) == 0)
            execl("/proc/self/exe", "aub", "make", (char *)NULL);
        _exit(2);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* ---- the recorded machine ---- */
struct page {
    struct page *next;
    uint64_t number;
    uint8_t *bytes; /* owned: one page */
};

enum { BUCKETS = 4096 };

static struct page *pages[BUCKETS];
static uint64_t top; /* page of the highest table; 0: not known yet */

static uint8_t *physical(uint64_t number)
{
    struct page **at = &pages[number % BUCKETS];
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (!*at) {
        REQUIRE((*at = calloc(1, sizeof **at)));
        (*at)->number = number;
        (*at)->bytes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE((*at)->bytes != MAP_FAILED);
    }
    return (*at)->bytes;
}

static void physical_write(uint64_t at, const uint8_t *from, uint64_t size)
{
    while (size) {
        uint64_t in = at % PAGE, n = size < PAGE - in ? size : PAGE - in;
        memcpy(physical(at / PAGE) + in, from, n);
        at += n;
        from += n;
        size -= n;
    }
}

static void forget(void)
{
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (struct page *p = pages[i], *next; p; p = next) {
            next = p->next;
            munmap(p->bytes, PAGE);
            free(p);
        }
        pages[i] = NULL;
    }
    top = 0;
}

/* Maps what a table of a level (3: the highest) reaches; addresses from `base` on. */
static void map_table(struct sim_vm *vm, uint64_t table, unsigned level, gpu_addr base)
{
    const uint64_t *entries = (const uint64_t *)physical(table);
    for (unsigned i = 0; i < 512; i++) {
        uint64_t target = (entries[i] & 0xfffffffff000) / PAGE;
        gpu_addr at = base + ((gpu_addr)i << (12 + 9 * level));
        if (!(entries[i] & 1))
            continue;
        if (level)
            map_table(vm, target, level - 1, at);
        else
            REQUIRE(vm_map(vm, at, physical(target), PAGE, true, 1));
    }
}

/* ---- a submission ---- */
static const struct gen_device *dev;
static unsigned n_walkers, n_batches, n_commands, found;

/* Every command known, in a form of a known length, and printed by its name. */
static bool walk(const struct sim_vm *vm, gpu_addr at)
{
    char text[8192];
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t dw[64] = {0};
        unsigned length = 0, where;
        const char *why = NULL;
        gpu_addr bad;
        if (!vm_read(vm, at, dw, 4, &bad))
            return false;
        int id = cmd_identify(dev->gen, CMD_RENDER, dw, 64, &length, &why);
        CHECKF(id >= 0, "%s: %08x: %s", dev->name, dw[0], why);
        if (id < 0 || !vm_read(vm, at, dw, 4 * length, &bad))
            return false;
        n_commands++;
        CHECKF(id != CMD_UNKNOWN_3D, "%s: %08x", dev->name, dw[0]);
        CHECKF(id == CMD_MI_MATH || id == CMD_MI_LOAD_REGISTER_IMM ||
                   length == cmd_length(dev->gen, id),
               "%s: %s has %u dwords", dev->name, cmd_name(id), length);
        for (unsigned k = 1; k < length && id != CMD_MI_MATH; k++) /* canonical addresses */
            dw[k] = dw[k] >> 15 == 0x1ffff ? dw[k] & 0xffff : dw[k];
        CHECKF(id == CMD_MI_MATH || !cmd_reserved(dev->gen, id, dw, length, &where),
               "%s: %s: reserved bits in dword %u: %08x", dev->name, cmd_name(id), where,
               dw[where]);
        CHECKF(cmd_print(dev->gen, id, dw, length, text, sizeof text) > 0 &&
                   strstr(text, cmd_name(id)),
               "%s: %s: %s", dev->name, cmd_name(id), text);
        n_walkers += id == CMD_GPGPU_WALKER;
        at += 4 * length;
        if (id == CMD_MI_BATCH_BUFFER_START)
            at = cmd_get(dev->gen, dw, CMD_MI_BATCH_BUFFER_START_address) & 0xffffffffffff;
        if (id == CMD_MI_BATCH_BUFFER_END)
            return true;
    }
    return false;
}

static uint32_t expected(unsigned kernel, unsigned i)
{
    uint32_t s = 0;
    switch (kernel) {
    case 0:
        return input(i) + K;
    case 1:
        return input(i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL);
    case 2:
        for (unsigned j = 0; j < 400; j += K) {
            unsigned at = (j * 7 + i) % 400;
            s += input((i + at) & 1023) * at;
        }
        return s;
    default: { /* the image's first Y tile: columns of 16 bytes, 32 rows each; bytes reversed */
        unsigned byte = i * 4, y = byte % 512 / 16, x = byte / 512 * 4 + byte % 16 / 4;
        return __builtin_bswap32(input(y * WIDTH + x));
    }
    }
}

/* Looks for the kernels' results in all memory. */
static void look(void)
{
    for (unsigned k = 0; k < N_KERNELS; k++) {
        uint32_t want[N];
        for (unsigned i = 0; i < N; i++)
            want[i] = expected(k, i);
        for (unsigned b = 0; b < BUCKETS; b++) {
            for (const struct page *p = pages[b]; p; p = p->next)
                found |= (unsigned)!memcmp(p->bytes, want, sizeof want) << k;
        }
    }
}

/* The ring's new contents: calls of batches. */
static void submit(struct sim_context *ctx, const uint32_t *ring, unsigned n)
{
    for (unsigned i = 0; i + 2 < n; i++) {
        if (ring[i] != 0x18800101 && ring[i] != 0x18800001)
            continue;
        gpu_addr at = (ring[i + 1] | (uint64_t)ring[i + 2] << 32) & 0xffffffffffff;
        struct sim_vm *vm = vm_new(48);
        struct sim_fault fault = {.set = false};
        static const volatile int stop;
        REQUIRE(vm && top);
        map_table(vm, top, 3, 0);
        CHECKF(walk(vm, at), "%s: batch 0x%llx doesn't end", dev->name, (long long)at);
        CHECKF(sim_run_batch(ctx, vm, 0, at, &stop, &fault), "%s: %s", dev->name, fault.text);
        n_batches++;
        look();
        vm_free(vm);
        i += 2;
    }
}

/* ---- the file ---- */
static void play(const uint32_t *dw, size_t n)
{
    enum { MEMORY_WRITE = 6, GGTT = 4, PML4 = 0xa, HINT_RING = 0x26 };
    const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 50000000};
    struct sim_gpu *gpu = sim_gpu_new(dev, &opt);
    struct sim_context *ctx = sim_context_new(gpu);
    REQUIRE(gpu && ctx);
    for (size_t i = 0; i < n;) {
        unsigned kind = dw[i] >> 16 & 0x7f, length = (dw[i] & 0xffff) + 1;
        CHECKF(dw[i] >> 23 == 0x1ee && i + length <= n, "record %08x", dw[i]);
        if (dw[i] >> 23 != 0x1ee || i + length > n)
            break;
        if (kind == MEMORY_WRITE && length > 5) {
            uint64_t at = dw[i + 1] | (uint64_t)dw[i + 2] << 32;
            unsigned space = dw[i + 3] >> 28, hint = dw[i + 3] >> 20 & 0xff;
            uint64_t size = dw[i + 4];
            REQUIRE(size <= 4 * (uint64_t)(length - 5));
            if (space == PML4 && !top)
                top = at / PAGE;
            if (space != GGTT)
                physical_write(at, (const uint8_t *)&dw[i + 5], size);
            if (hint == HINT_RING)
                submit(ctx, &dw[i + 5], (unsigned)(size / 4));
        }
        i += length;
    }
    sim_context_free(ctx);
    sim_gpu_free(gpu);
    forget();
}

static bool play_file(const char *dir)
{
    DIR *d = opendir(dir);
    bool played = false;
    for (const struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".aub") != 0)
            continue;
        int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC);
        struct stat st;
        REQUIRE(fd >= 0 && fstat(fd, &st) == 0);
        void *p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        REQUIRE(p != MAP_FAILED);
        play(p, st.st_size / 4);
        munmap(p, st.st_size);
        close(fd);
        unlinkat(dirfd(d), e->d_name, 0);
        played = true;
    }
    if (d)
        closedir(d);
    return played;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *family, *device;
    } families[] = {{"bdw", "bdw-gt2"}, {"skl", "skl-gt2"}, {"kbl", "kbl-gt2"},
                    {"cfl", "cfl-gt2"}, {"bxt", "bxt-3x6"}, {"glk", "glk-3x6"}};
    if (argc > 1 && strcmp(argv[1], "make") == 0)
        return make();
    if (access("/etc/OpenCL/vendors/intel.icd", R_OK) != 0)
        SKIP("Intel's OpenCL driver (intel-opencl-icd) is not installed");
    char dir[] = "/tmp/beignet-aub-XXXXXX";
    REQUIRE(mkdtemp(dir));
    for (unsigned i = 0; i < sizeof families / sizeof families[0]; i++) {
        REQUIRE((dev = gen_device_by_name(families[i].device)));
        n_walkers = n_batches = n_commands = found = 0;
        CHECKF(record(dir, families[i].family), "no recording of %s", families[i].family);
        CHECKF(play_file(dir), "no file of %s", families[i].family);
        CHECKF(n_walkers >= N_KERNELS, "%s: %u walkers", dev->name, n_walkers);
        CHECKF(found == (1 << N_KERNELS) - 1, "%s: results 0x%x", dev->name, found);
        fprintf(stderr, "%s: %u batches, %u commands, %u walkers\n", dev->name, n_batches,
                n_commands, n_walkers);
    }
    rmdir(dir);
    return utest_end();
}
