/* The first kernel of all: assembled by hand, launched through gpu.h, its results read back. Runs
 * on any device that gpu_open_all finds; CTest runs it on simulated ones. Each work item stores its
 * global id through binding table index 0; later launches test barriers between launches, times,
 * spilling of many launches into several batches, and a hang's aftermath. */
#include "utests/core/asm.h"

#include <errno.h>
#include <pthread.h>

#include "gen/device.h"

/* ---- the kernels ---- */

/* out[global id] = global id + r1.1, SIMD16; r1.0 = size of a group. */
static void store_ids(struct code *c)
{
    struct msg store = {
        .kind = MSG_untyped_write, .bti = 0, .simd = 16, .n_chan = 1, .chan_off = 0xe, .mlen = 4};
    line(c, "(W) mul (1|M0) r10.0<1>:ud r0.1<0;1,0>:ud r1.0<0;1,0>:uw");
    line(c, "add (16|M0) r12.0<1>:ud r10.0<0;1,0>:ud r2.0<8;8,1>:uw");
    line(c, "shl (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 0x2:ud");
    line(c, "add (16|M0) r16.0<1>:ud r12.0<8;8,1>:ud r1.1<0;1,0>:ud");
    message(c, "", 16, 0, 14, &store);
    end_thread(c);
}

/* out[global id] *= 2 */
static void double_all(struct code *c)
{
    struct msg load = {.kind = MSG_untyped_read,
                       .bti = 0,
                       .simd = 16,
                       .n_chan = 1,
                       .chan_off = 0xe,
                       .mlen = 2,
                       .rlen = 2};
    struct msg store = {
        .kind = MSG_untyped_write, .bti = 0, .simd = 16, .n_chan = 1, .chan_off = 0xe, .mlen = 4};
    line(c, "(W) mul (1|M0) r10.0<1>:ud r0.1<0;1,0>:ud r1.0<0;1,0>:uw");
    line(c, "add (16|M0) r12.0<1>:ud r10.0<0;1,0>:ud r2.0<8;8,1>:uw");
    line(c, "shl (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 0x2:ud");
    message(c, "", 16, 20, 14, &load);
    line(c, "add (16|M0) r16.0<1>:ud r20.0<8;8,1>:ud r20.0<8;8,1>:ud");
    message(c, "", 16, 0, 14, &store);
    end_thread(c);
}

/* Never ends. */
static void loop(struct code *c)
{
    line(c, "(W) mov (8|M0) r10.0<1>:ud r0.0<8;8,1>:ud");
    line(c, "(W) jmpi (1|M0) -16");
    end_thread(c);
}

/* ---- launching ---- */

enum { GROUP = 40, N_GROUPS = 100, N_ITEMS = GROUP * N_GROUPS };

static struct kbin_surface surface = {KBIN_SURFACE_ARG, 0, true};
static const struct kbin_kernel kernel = {.simd = 16,
                                          .n_push_regs = 1,
                                          .uses_local_id = {true, false, false},
                                          .surfaces = &surface,
                                          .n_surfaces = 1};

struct test {
    struct gpu *gpu;
    const struct gpu_info *info;
    struct bo *code[3], *out;
    uint32_t push[8];
    struct gpu_surface surfaces[1];
};

static struct gpu_launch launch(struct test *t, unsigned code, uint32_t addend, int slot)
{
    t->push[0] = GROUP;
    t->push[1] = addend;
    t->surfaces[0] = (struct gpu_surface){.bo = t->out, .size = N_ITEMS * 4, .written = true};
    return (struct gpu_launch){.kernel = &kernel,
                               .code = t->code[code],
                               .push = t->push,
                               .surfaces = t->surfaces,
                               .local_size = {GROUP, 1, 1},
                               .group_count = {N_GROUPS, 1, 1},
                               .timestamp_slot = slot};
}

static void clear(struct test *t)
{
    memset(bo_map(t->out), 0xee, bo_size(t->out));
}

static void check(struct test *t, uint32_t factor, uint32_t addend)
{
    const uint32_t *p = bo_map(t->out);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < N_ITEMS; i++)
        wrong += p[i] != factor * (i + addend);
    for (uint32_t i = N_ITEMS; i < bo_size(t->out) / 4; i++)
        wrong += p[i] != 0xeeeeeeee;
    CHECKF(wrong == 0, "%u wrong; first %u %u %u %u", wrong, p[0], p[1], p[16], p[40]);
}

static void test_store(struct test *t)
{
    struct batch *b = batch_new(t->gpu);
    struct gpu_launch l = launch(t, 0, 7, -1);
    clear(t);
    REQUIRE(batch_launch(b, &l, false) == 0);
    REQUIRE(batch_submit(b) == 0);
    CHECK(batch_wait(b, -1) == 0 && !batch_busy(b));
    check(t, 1, 7);
    batch_free(b);
}

/* Three launches that need each other's results, with times. */
static void test_order(struct test *t)
{
    uint64_t start[3], end[3], before = gpu_clock(t->gpu);
    struct batch *b = batch_new(t->gpu);
    clear(t);
    for (unsigned i = 0; i < 3; i++) {
        struct gpu_launch l = launch(t, i ? 1 : 0, 3, (int)i);
        REQUIRE(batch_launch(b, &l, i > 0) == 0);
    }
    REQUIRE(batch_submit(b) == 0);
    CHECK(batch_wait(b, -1) == 0);
    check(t, 4, 3);
    for (unsigned i = 0; i < 3; i++) {
        batch_times(b, i, &start[i], &end[i]);
        CHECKF(start[i] <= end[i], "%llu %llu", (unsigned long long)start[i],
               (unsigned long long)end[i]);
        CHECK(start[i] >= (i ? end[i - 1] : before));
    }
    CHECK(end[2] <= gpu_clock(t->gpu));
    batch_free(b);
}

/* Many batches in flight, in order. */
static void test_batches(struct test *t)
{
    enum { N = 8 };
    struct batch *b[N];
    clear(t);
    for (unsigned i = 0; i < N; i++) {
        struct gpu_launch l = launch(t, i ? 1 : 0, 5, -1);
        b[i] = batch_new(t->gpu);
        REQUIRE(batch_launch(b[i], &l, false) == 0);
        REQUIRE(batch_submit(b[i]) == 0);
    }
    CHECK(batch_wait(b[N - 1], -1) == 0);
    for (unsigned i = 0; i < N; i++) {
        CHECK(!batch_busy(b[i]) && batch_wait(b[i], 0) == 0);
        batch_free(b[i]);
    }
    check(t, 1 << (N - 1), 5);
}

/* Threads that share a device, each with batches and objects of its own. */
static void *one_thread(void *arg)
{
    struct test *t = arg;
    for (unsigned round = 0; round < 10; round++) {
        struct batch *b[3];
        t->out = bo_new(t->gpu, "out", N_ITEMS * 4);
        if (!t->out || !bo_map(t->out))
            return "no memory";
        for (unsigned i = 0; i < 3; i++) {
            struct gpu_launch l = launch(t, i ? 1 : 0, round, -1);
            b[i] = batch_new(t->gpu);
            if (!b[i] || batch_launch(b[i], &l, true) || batch_submit(b[i]))
                return "not submitted";
        }
        for (unsigned i = 0; i < 3; i++) {
            if (batch_wait(b[2 - i], -1))
                return "not completed";
        }
        for (unsigned i = 0; i < 3; i++)
            batch_free(b[i]);
        const uint32_t *p = bo_map(t->out);
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            if (p[i] != 4 * (i + round))
                return "wrong";
        }
        bo_release(t->out);
        if (round % 4 == 3)
            gpu_trim(t->gpu, true);
    }
    return NULL;
}

static void test_threads(struct test *t)
{
    enum { N = 4 };
    pthread_t threads[N];
    struct test own[N];
    for (unsigned i = 0; i < N; i++) {
        own[i] = *t;
        REQUIRE(pthread_create(&threads[i], NULL, one_thread, &own[i]) == 0);
    }
    for (unsigned i = 0; i < N; i++) {
        void *why;
        pthread_join(threads[i], &why);
        CHECKF(!why, "%s", (const char *)why);
    }
}

/* A kernel that never ends: the kernel ends it, the batch says so, the next one runs. */
static void test_hang(struct test *t)
{
    struct batch *b = batch_new(t->gpu);
    struct gpu_launch l = launch(t, 2, 0, -1);
    l.group_count[0] = 1;
    REQUIRE(batch_launch(b, &l, false) == 0);
    REQUIRE(batch_submit(b) == 0);
    CHECK(batch_wait(b, 1000000) == -ETIME && batch_busy(b));
    CHECK(batch_wait(b, -1) == -EIO);
    CHECK(batch_wait(b, -1) == -EIO);
    batch_free(b);
    test_store(t);
}

static void test_memory(struct test *t)
{
    uint64_t live = gpu_bytes_live(t->gpu);
    struct bo *bo = bo_new(t->gpu, "x", 10000);
    REQUIRE(bo && bo_size(bo) >= 10000);
    CHECK(gpu_bytes_live(t->gpu) == live + bo_size(bo));
    uint64_t size = bo_size(bo), cached = gpu_bytes_cached(t->gpu);
    bo_release(bo);
    CHECK(gpu_bytes_live(t->gpu) == live && gpu_bytes_cached(t->gpu) == cached + size);
    bo = bo_new(t->gpu, "y", 10000);
    CHECK(gpu_bytes_cached(t->gpu) == cached);
    bo_release(bo);
    gpu_trim(t->gpu, true);
    CHECK(gpu_bytes_cached(t->gpu) == 0);
    if (t->info->has_userptr) { /* the kernel works on our own memory */
        void *p;
        REQUIRE(posix_memalign(&p, 4096, 16384) == 0);
        bo = bo_new_userptr(t->gpu, "user", p, 16384);
        REQUIRE(bo && bo_map(bo) == p && bo_size(bo) == 16384);
        struct bo *out = t->out;
        t->out = bo;
        test_store(t);
        t->out = out;
        bo_release(bo);
        free(p);
    }
    CHECK(gpu_bytes_live(t->gpu) == live);
}

static void note(void *ctx, const char *node, const char *why)
{
    fprintf(stderr, "%s: %s\n", node, why);
}

int main(int argc, char **argv)
{
    struct gpu *gpus[4];
    unsigned n = gpu_open_all(gpus, 4, note, NULL);
    if (n == 0)
        SKIP("no device");
    for (unsigned i = 0; i < n; i++) {
        struct test t = {.gpu = gpus[i], .info = gpu_get_info(gpus[i])};
        fprintf(stderr, "%s: %s, %u EUs, %u threads, SLM %u, softpin %d, userptr %d\n",
                t.info->node, t.info->name, t.info->n_eus, t.info->n_threads, t.info->slm_size,
                t.info->has_softpin, t.info->has_userptr);
        CHECK(t.info->slm_size == 65536);
        t.code[0] = code_bo(t.gpu, t.info->dev->gen, store_ids);
        t.code[1] = code_bo(t.gpu, t.info->dev->gen, double_all);
        t.code[2] = code_bo(t.gpu, t.info->dev->gen, loop);
        t.out = bo_new(t.gpu, "out", N_ITEMS * 4);
        REQUIRE(t.out && bo_map(t.out));
        test_store(&t);
        test_order(&t);
        test_batches(&t);
        test_memory(&t);
        test_threads(&t);
        if (argc > 1 && !strcmp(argv[1], "hang"))
            test_hang(&t);
        bo_release(t.out);
        for (unsigned k = 0; k < 3; k++)
            bo_release(t.code[k]);
        CHECK(gpu_bytes_live(t.gpu) == 0);
        gpu_close(t.gpu);
    }
    return utest_end();
}
