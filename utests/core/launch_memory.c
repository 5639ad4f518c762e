/* Kernels that reach memory in every way that a launch sets up: shared local memory and barriers,
 * spill space, the private surface, windows over the address space (Gen7), addresses (Gen8, 9), 3-D
 * ids. Results are compared with what the kernels' few lines say. */
#include "utests/core/asm.h"

#include <errno.h>

#include "gen/device.h"

enum { SIMD = 16, GROUP = 64, N_GROUPS = 50, N_ITEMS = GROUP * N_GROUPS };

static const struct msg store32 = {
    .kind = MSG_untyped_write, .bti = 0, .simd = 16, .n_chan = 1, .chan_off = 0xe, .mlen = 4};

/* r12 = global id, r14 = its offset; r1.0 = size of a group, r2 = local ids (or what comes after).
 */
static void global_id(struct code *c)
{
    line(c, "(W) mul (1|M0) r10.0<1>:ud r0.1<0;1,0>:ud r1.0<0;1,0>:uw");
    line(c, "add (16|M0) r12.0<1>:ud r10.0<0;1,0>:ud r2.0<8;8,1>:uw");
    line(c, "shl (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 0x2:ud");
}

/* out[gid] = gid of the item at the other end of the group, passed through local memory */
static void reverse(struct code *c)
{
    struct msg put = {.kind = MSG_untyped_write,
                      .bti = MSG_BTI_SLM,
                      .simd = 16,
                      .n_chan = 1,
                      .chan_off = 0xe,
                      .mlen = 4};
    struct msg get = {.kind = MSG_untyped_read,
                      .bti = MSG_BTI_SLM,
                      .simd = 16,
                      .n_chan = 1,
                      .chan_off = 0xe,
                      .mlen = 2,
                      .rlen = 2};
    struct msg barrier = {.kind = MSG_gateway, .gateway_fn = 4, .mlen = 1};
    if (c->gen == 75) /* the index of the group's local memory */
        line(c, "(W) mov (1|M0) sr0.2<1>:uw r0.1<0;1,0>:uw {Switch}");
    global_id(c);
    line(c, "shl (16|M0) r20.0<1>:ud r2.0<8;8,1>:uw 0x2:ud"); /* local id * 4 */
    line(c, "mov (16|M0) r22.0<1>:ud r12.0<8;8,1>:ud");
    message(c, "", 16, 0, 20, &put);
    line(c, "(W) and (8|M0) r30.0<1>:ud r0.2<0;1,0>:ud 0x8f000000:ud");
    if (c->gen < 90)
        line(c, "(W) and (8|M0) r30.0<1>:ud r0.2<0;1,0>:ud 0xf000000:ud");
    message(c, "(W) ", 8, 0, 30, &barrier);
    line(c, "(W) wait (1|M0) n0.0:ud");
    line(c, "add (16|M0) r20.0<1>:d -r20.0<8;8,1>:d 252:w"); /* 4 * (63 - local id) */
    message(c, "", 16, 16, 20, &get);
    message(c, "", 16, 0, 14, &store32);
    end_thread(c);
}

/* out[gid] = gid, read back from spill space (registers 0..1 of the thread's, and 60..61) */
static void spill(struct code *c)
{
    struct msg out = {.kind = MSG_scratch_write,
                      .header = true,
                      .mlen = 3,
                      .n_regs = 2,
                      .scratch_offset = 60,
                      .simd = 16};
    struct msg out0 = {.kind = MSG_scratch_write,
                       .header = true,
                       .mlen = 3,
                       .n_regs = 2,
                       .scratch_offset = 0,
                       .simd = 16};
    struct msg in = {.kind = MSG_scratch_read,
                     .header = true,
                     .mlen = 1,
                     .rlen = 2,
                     .n_regs = 2,
                     .scratch_offset = 60,
                     .simd = 16};
    global_id(c);
    line(c, "(W) mov (8|M0) r30.0<1>:ud r0.0<8;8,1>:ud");
    line(c, "mov (16|M0) r31.0<1>:ud r12.0<8;8,1>:ud");
    message(c, "(W) ", 16, 0, 30, &out);
    line(c, "(W) mov (16|M0) r31.0<1>:ud 0x7777:ud");
    message(c, "(W) ", 16, 0, 30, &out0);
    message(c, "(W) ", 16, 16, 0, &in);
    message(c, "", 16, 0, 14, &store32);
    end_thread(c);
}

/* out[gid] = gid, through 100 bytes of private memory a lane: slot * 16 * 100 + lane * 100 + 96 */
static void private_memory(struct code *c)
{
    struct msg put = store32, get = {.kind = MSG_untyped_read,
                                     .bti = 1,
                                     .simd = 16,
                                     .n_chan = 1,
                                     .chan_off = 0xe,
                                     .mlen = 2,
                                     .rlen = 2};
    put.bti = 1;
    global_id(c);
    line(c, "(W) and (1|M0) r40.0<1>:ud r0.5<0;1,0>:ud 0x1ff:ud");
    line(c, "(W) mul (1|M0) r40.0<1>:ud r40.0<0;1,0>:ud 0x640:uw");
    line(c, "(W) mov (8|M0) r41.0<1>:uw 0x76543210:uv");
    line(c, "(W) add (8|M0) r41.8<1>:uw r41.0<8;8,1>:uw 0x8:uw");
    line(c, "mul (16|M0) r20.0<1>:ud r41.0<8;8,1>:uw 0x64:uw");
    line(c, "add (16|M0) r20.0<1>:ud r20.0<8;8,1>:ud r40.0<0;1,0>:ud");
    line(c, "add (16|M0) r20.0<1>:ud r20.0<8;8,1>:ud 0x60:ud");
    line(c, "mov (16|M0) r22.0<1>:ud r12.0<8;8,1>:ud");
    message(c, "", 16, 0, 20, &put);
    message(c, "", 16, 16, 20, &get);
    message(c, "", 16, 0, 14, &store32);
    end_thread(c);
}

/* *(r1.2 + 4 * gid) = gid, by address: surfaces 0 and 1 are the halves of the address space on Gen7
 */
static void windows(struct code *c)
{
    struct msg upper = store32;
    upper.bti = 1;
    global_id(c);
    line(c, "add (16|M0) r14.0<1>:ud r14.0<8;8,1>:ud r1.2<0;1,0>:ud");
    line(c, "mov (16|M0) r16.0<1>:ud r12.0<8;8,1>:ud");
    line(c, "cmp (16|M0) (lt)f0.0 null.0<1>:ud r14.0<8;8,1>:ud 0x40000000:ud {Switch}");
    line(c, "and (16|M0) r14.0<1>:ud r14.0<8;8,1>:ud 0x3fffffff:ud");
    message(c, "(f0.0) ", 16, 0, 14, &store32);
    message(c, "(~f0.0) ", 16, 0, 14, &upper);
    end_thread(c);
}

/* The same with 64-bit addresses, two halves of 8 lanes; r1.2 is a qword. */
static void addresses(struct code *c)
{
    struct msg store = {.kind = MSG_a64_untyped_write,
                        .bti = 255,
                        .simd = 8,
                        .n_chan = 1,
                        .chan_off = 0xe,
                        .mlen = 3};
    global_id(c);
    line(c, "add (16|M0) r14.0<1>:ud r14.0<8;8,1>:ud r1.2<0;1,0>:ud");
    line(c, "mov (8|M0) r20.0<2>:ud r14.0<8;8,1>:ud");
    line(c, "mov (8|M0) r20.1<2>:ud r1.3<0;1,0>:ud");
    line(c, "mov (8|M0) r22.0<1>:ud r12.0<8;8,1>:ud");
    line(c, "mov (8|M8) r30.0<2>:ud r15.0<8;8,1>:ud");
    line(c, "mov (8|M8) r30.1<2>:ud r1.3<0;1,0>:ud");
    line(c, "mov (8|M8) r32.0<1>:ud r13.0<8;8,1>:ud");
    message(c, "", 8, 0, 20, &store);
    c->group = 8;
    message(c, "", 8, 0, 30, &store);
    end_thread(c);
}

/* out[gid] = gid + what surface 1 holds at byte 8 - r1.2 */
static void own_address(struct code *c)
{
    struct msg get = {.kind = MSG_untyped_read,
                      .bti = 1,
                      .simd = 16,
                      .n_chan = 1,
                      .chan_off = 0xe,
                      .mlen = 2,
                      .rlen = 2};
    global_id(c);
    line(c, "mov (16|M0) r20.0<1>:ud 0x8:ud");
    message(c, "", 16, 22, 20, &get);
    line(c, "add (16|M0) r16.0<1>:d r22.0<8;8,1>:d -r1.2<0;1,0>:d");
    line(c, "add (16|M0) r16.0<1>:d r16.0<8;8,1>:d r12.0<8;8,1>:d");
    message(c, "", 16, 0, 14, &store32);
    end_thread(c);
}

/* out[linear id] = x | y << 8 | z << 16, of local ids; r1.0 = items of a group, r1.1, r1.2 = its
 * size x, y */
static void ids_3d(struct code *c)
{
    line(c, "mul (16|M0) r10.0<1>:ud r3.0<8;8,1>:uw r1.2<0;1,0>:uw"); /* y * size x */
    line(c, "(W) mul (1|M0) r20.0<1>:ud r1.2<0;1,0>:uw r1.4<0;1,0>:uw");
    line(c, "mul (16|M0) r22.0<1>:ud r4.0<8;8,1>:uw r20.0<0;1,0>:uw"); /* z * size x * size y */
    line(c, "add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud r22.0<8;8,1>:ud");
    line(c, "add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud r2.0<8;8,1>:uw");
    line(c, "(W) mul (1|M0) r24.0<1>:ud r0.1<0;1,0>:ud r1.0<0;1,0>:uw");
    line(c, "add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud r24.0<0;1,0>:ud");
    line(c, "shl (16|M0) r14.0<1>:ud r10.0<8;8,1>:ud 0x2:ud");
    line(c, "shl (16|M0) r16.0<1>:ud r3.0<8;8,1>:uw 0x8:uw");
    line(c, "shl (16|M0) r18.0<1>:ud r4.0<8;8,1>:uw 0x10:uw");
    line(c, "or (16|M0) r16.0<1>:ud r16.0<8;8,1>:ud r18.0<8;8,1>:ud");
    line(c, "or (16|M0) r16.0<1>:ud r16.0<8;8,1>:ud r2.0<8;8,1>:uw");
    message(c, "", 16, 0, 14, &store32);
    end_thread(c);
}

static struct gpu *gpu;
static const struct gen_device *dev;

static struct bo *constants; /* surface 1, if there is one; and whose address r1.2 then is */

/* Runs one kernel and returns its output; the first argument says what it is made of. */
static struct bo *run(void (*write)(struct code *), const struct kbin_kernel *k,
                      struct gpu_launch l)
{
    uint32_t push[8] = {GROUP};
    struct bo *code = code_bo(gpu, dev->gen, write), *out = bo_new(gpu, "out", N_ITEMS * 4);
    struct gpu_surface surfaces[4] = {{.bo = out, .size = N_ITEMS * 4, .written = true}};
    struct gpu_address address = {
        .push_offset = 8, .size = dev->gen >= 80 ? 8 : 4, .bo = out, .written = true};
    REQUIRE(out && bo_map(out));
    memset(bo_map(out), 0xee, bo_size(out));
    l.kernel = k;
    l.code = code;
    l.surfaces = surfaces;
    if (!l.push)
        l.push = push;
    if (constants) {
        surfaces[1] = (struct gpu_surface){.bo = constants, .size = 4096};
        address.bo = constants;
    }
    if (constants || write == windows || write == addresses) {
        l.addresses = &address;
        l.n_addresses = 1;
    }
    if (!l.local_size[0]) {
        l.local_size[0] = GROUP;
        l.local_size[1] = l.local_size[2] = 1;
    }
    l.group_count[0] = N_GROUPS;
    l.group_count[1] = l.group_count[2] = 1;
    l.timestamp_slot = -1;
    struct batch *b = batch_new(gpu);
    REQUIRE(batch_launch(b, &l, false) == 0);
    REQUIRE(batch_submit(b) == 0);
    CHECK(batch_wait(b, -1) == 0);
    batch_free(b);
    bo_release(code);
    return out;
}

static void check(struct bo *out, const char *what, uint32_t (*expected)(uint32_t))
{
    const uint32_t *p = bo_map(out);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        CHECKF(p[i] == expected(i), "%s: item %u: %u, expected %u", what, i, p[i], expected(i));
    bo_release(out);
}

static uint32_t same(uint32_t i)
{
    return i;
}

static uint32_t and_100(uint32_t i)
{
    return i + 100;
}

static uint32_t reversed(uint32_t i)
{
    return i - i % GROUP + GROUP - 1 - i % GROUP;
}

static uint32_t xyz(uint32_t i)
{
    uint32_t n = i % GROUP;
    return n % 8 | n / 8 % 4 << 8 | n / 32 << 16;
}

int main(void)
{
    if (gpu_open_all(&gpu, 1, NULL, NULL) == 0)
        SKIP("no device");
    dev = gpu_get_info(gpu)->dev;
    struct kbin_surface surfaces[2] = {{KBIN_SURFACE_ARG, 0, true},
                                       {KBIN_SURFACE_PRIVATE, 0, true}};
    struct kbin_surface halves[2] = {{KBIN_SURFACE_WINDOW0, 0, true},
                                     {KBIN_SURFACE_WINDOW1, 0, true}};
    struct kbin_kernel k = {.simd = SIMD,
                            .n_push_regs = 1,
                            .uses_local_id = {true},
                            .surfaces = surfaces,
                            .n_surfaces = 1};

    k.uses_barrier = true;
    check(run(reverse, &k, (struct gpu_launch){.slm_size = GROUP * 4}), "local memory", reversed);
    check(run(reverse, &k, (struct gpu_launch){.slm_size = 65536}), "all local memory", reversed);
    k.uses_barrier = false;

    k.scratch_size = 2048;
    check(run(spill, &k, (struct gpu_launch){0}), "spill space", same);
    k.scratch_size = 0;

    k.n_surfaces = 2;
    k.private_size = 100;
    check(run(private_memory, &k, (struct gpu_launch){0}), "private memory", same);
    k.private_size = 0;

    if (dev->gen < 80) {
        k.surfaces = halves;
        check(run(windows, &k, (struct gpu_launch){0}), "windows", same);
        k.surfaces = surfaces;
    } else {
        k.n_surfaces = 0;
        check(run(addresses, &k, (struct gpu_launch){0}), "addresses", same);
    }
    k.n_surfaces = 1;

    surfaces[1].kind = KBIN_SURFACE_CONSTANTS;
    k.n_surfaces = 2;
    constants = bo_new_self_addressed(gpu, "constants", 4096);
    REQUIRE(constants);
    unsigned size = dev->gen >= 80 ? 8 : 4;
    CHECK(bo_store_own_address(constants, 0, size, 4) == 0);
    CHECK(bo_store_own_address(constants, 8, size, 100) == 0);
    CHECK(bo_store_own_address(constants, bo_size(constants) - 2, size, 0) == -EINVAL);
    CHECK(bo_store_own_address(constants, 2, size, 0) == -EINVAL);
    check(run(own_address, &k, (struct gpu_launch){0}), "own address", and_100);
    check(run(own_address, &k, (struct gpu_launch){0}), "own address again", and_100);
    bo_release(constants);
    constants = NULL;
    struct bo *full = bo_new_self_addressed(gpu, "full", 4096);
    REQUIRE(full);
    int err = 0;
    for (unsigned i = 0; i <= 4096 / 4 && !err; i++)
        err = bo_store_own_address(full, 0, size, 0);
    CHECK(err == (gpu_get_info(gpu)->has_softpin ? 0 : -ENOSPC)); /* relocations are counted */
    bo_release(full);
    k.n_surfaces = 1;

    uint32_t push[8] = {GROUP, 8, 4};
    k.uses_local_id[1] = k.uses_local_id[2] = true;
    check(run(ids_3d, &k, (struct gpu_launch){.push = push, .local_size = {8, 4, 2}}), "ids", xyz);

    /* bounds of a launch */
    uint32_t most = gpu_max_group_size(gpu, &k);
    CHECK(most == 16u * gpu_get_info(gpu)->max_group_threads);
    k.n_push_regs = 30;
    most = gpu_max_group_size(gpu, &k);
    if (dev->gen == 70)
        CHECK(most / 16 * 33 <= dev->curbe_regs);
    else
        CHECK(most / 16 * 3 + 30 <= dev->curbe_regs);
    gpu_close(gpu);
    return utest_end();
}
