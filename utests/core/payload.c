/* Local ids and sizes of thread payloads, against the definition: item number = (z * height + y) *
 * width + x. */
#include "utest.h"

#include "src/gpu/impl.h"

static void test_ids(unsigned simd, const uint32_t size[3], unsigned dims)
{
    struct kbin_kernel k = {.simd = simd};
    for (unsigned d = 0; d < 3; d++)
        k.uses_local_id[d] = dims >> d & 1;
    uint32_t items = size[0] * size[1] * size[2];
    uint32_t threads = launch_threads(&k, size);
    CHECK(threads == (items + simd - 1) / simd);
    uint32_t regs = launch_id_regs(&k), lanes = simd == 32 ? 32 : 16; /* words a dimension takes */
    CHECK(regs == (unsigned)__builtin_popcount(dims) * lanes / 16);
    for (uint32_t t = 0; t < threads; t++) {
        uint16_t out[3 * 32 + 1];
        memset(out, 0xee, sizeof out);
        launch_local_ids(&k, size, t, out);
        CHECK(out[regs * 16] == 0xeeee);
        for (uint32_t lane = 0; lane < simd && t * simd + lane < items; lane++) {
            uint32_t item = t * simd + lane;
            uint32_t id[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
            const uint16_t *p = out;
            for (unsigned d = 0; d < 3; d++) {
                if (!(dims >> d & 1))
                    continue;
                CHECKF(p[lane] == id[d], "simd %u item %u dimension %u: %u", simd, item, d,
                       p[lane]);
                p += lanes;
            }
        }
    }
}

static void test_curbe(void)
{
    struct kbin_kernel k = {.simd = 16, .n_push_regs = 3, .uses_local_id = {true, true, false}};
    CHECK(launch_curbe_regs(70, &k, 8) == (3 + 2) * 8);
    CHECK(launch_curbe_regs(75, &k, 8) == 3 + 2 * 8);
    CHECK(launch_curbe_regs(90, &k, 1) == 5);
    k.simd = 32;
    CHECK(launch_curbe_regs(80, &k, 4) == 3 + 4 * 4);
    struct kbin_kernel none = {.simd = 8};
    CHECK(launch_curbe_regs(70, &none, 5) == 0 && launch_curbe_regs(90, &none, 5) == 0);
}

int main(void)
{
    static const uint32_t sizes[][3] = {{1, 1, 1},  {64, 1, 1}, {7, 5, 3},  {16, 16, 1}, {1, 61, 1},
                                        {33, 2, 2}, {3, 3, 7},  {1, 1, 64}, {512, 1, 1}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (unsigned dims = 0; dims < 8; dims++) {
            test_ids(8, sizes[i], dims);
            test_ids(16, sizes[i], dims);
            test_ids(32, sizes[i], dims);
        }
    }
    test_curbe();
    return utest_end();
}
