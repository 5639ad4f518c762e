/* The address allocator: against a plain map of pages, under random use. */
#include "utest.h"

#include "src/gpu/vma.h"

enum { PAGE = 4096, FIRST = 16, N_PAGES = 600 };

static unsigned next_random(void)
{
    static uint64_t x = 88172645463325252ull;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (unsigned)(x >> 20);
}

static void test_random(void)
{
    struct vma v;
    uint8_t used[N_PAGES] = {0};
    struct {
        uint64_t at, size;
    } live[N_PAGES];
    unsigned n = 0, failed = 0;
    REQUIRE(vma_init(&v, FIRST * PAGE, N_PAGES * PAGE));
    for (unsigned step = 0; step < 20000; step++) {
        if (next_random() % 2 || n == 0) {
            unsigned pages = 1 + next_random() % (next_random() % 8 ? 6 : 60);
            unsigned align = 1u << next_random() % 4;
            uint64_t at = vma_alloc(&v, (uint64_t)pages * PAGE, (uint64_t)align * PAGE);
            /* is there really no room? */
            if (at == 0) {
                failed++;
                for (unsigned p = FIRST; p + pages <= N_PAGES; p++) {
                    unsigned k = 0;
                    while (k < pages && !used[p + k])
                        k++;
                    CHECK(!(k == pages && p % align == 0));
                }
                continue;
            }
            CHECK(at % ((uint64_t)align * PAGE) == 0);
            REQUIRE(at >= FIRST * PAGE && at / PAGE + pages <= N_PAGES);
            for (unsigned k = 0; k < pages; k++) {
                CHECK(!used[at / PAGE + k]);
                used[at / PAGE + k] = 1;
            }
            live[n].at = at;
            live[n++].size = (uint64_t)pages * PAGE;
        } else {
            unsigned i = next_random() % n;
            for (unsigned k = 0; k < live[i].size / PAGE; k++)
                used[live[i].at / PAGE + k] = 0;
            vma_release(&v, live[i].at, live[i].size);
            live[i] = live[--n];
        }
        unsigned pages = 0;
        for (unsigned p = FIRST; p < N_PAGES; p++)
            pages += !used[p];
        if (step % 16 == 0)
            CHECK(vma_free_bytes(&v) == (uint64_t)pages * PAGE);
    }
    CHECK(failed > 0);
    while (n > 0) {
        n--;
        vma_release(&v, live[n].at, live[n].size);
    }
    CHECK(v.n_holes == 1 && vma_free_bytes(&v) == (uint64_t)(N_PAGES - FIRST) * PAGE);
    vma_fini(&v);
}

static void test_limits(void)
{
    struct vma v;
    REQUIRE(vma_init(&v, PAGE, (1ull << 32) - PAGE));
    CHECK(vma_alloc(&v, 1ull << 32, PAGE) == 0);
    CHECK(vma_alloc(&v, UINT64_MAX & ~(uint64_t)(PAGE - 1), PAGE) == 0);
    CHECK(vma_alloc(&v, PAGE, 1ull << 40) == 0);
    uint64_t all = (1ull << 32) - 2 * PAGE;
    CHECK(vma_alloc(&v, all, PAGE) == PAGE);
    CHECK(vma_alloc(&v, PAGE, PAGE) == 0);
    vma_release(&v, PAGE, all);
    CHECK(vma_alloc(&v, PAGE, PAGE) == PAGE);
    vma_fini(&v);
}

/* Ranges at places that the caller names. */
static void test_places(void)
{
    enum { PAGES = 64 };
    struct vma v;
    REQUIRE(vma_init(&v, PAGE, (PAGES + 1) * PAGE));
    CHECK(vma_find(&v, PAGE, PAGE, UINT64_MAX) == PAGES * PAGE);
    CHECK(vma_find(&v, PAGE, 16 * PAGE, PAGES * PAGE) == (PAGES - 16) * PAGE);
    CHECK(vma_find(&v, 2 * PAGE, PAGE, 3 * PAGE) == PAGE);
    CHECK(vma_find(&v, 2 * PAGE, PAGE, 3 * PAGE - 1) == 0);
    CHECK(vma_find(&v, (PAGES + 1) * PAGE, PAGE, UINT64_MAX) == 0);
    CHECK(vma_take(&v, 10 * PAGE, 5 * PAGE));
    CHECK(!vma_take(&v, 14 * PAGE, PAGE) && !vma_take(&v, 9 * PAGE, 2 * PAGE));
    CHECK(!vma_take(&v, 0, PAGE) && !vma_take(&v, PAGES * PAGE, 2 * PAGE));
    CHECK(vma_find(&v, 2 * PAGE, PAGE, 15 * PAGE) == 8 * PAGE);
    CHECK(vma_take(&v, 9 * PAGE, PAGE) && vma_take(&v, 15 * PAGE, PAGE));
    CHECK(vma_free_bytes(&v) == (PAGES - 7) * PAGE);
    vma_release(&v, 10 * PAGE, 5 * PAGE);
    vma_release(&v, 9 * PAGE, PAGE);
    vma_release(&v, 15 * PAGE, PAGE);
    CHECK(v.n_holes == 1 && vma_free_bytes(&v) == PAGES * PAGE);
    vma_fini(&v);
}

int main(void)
{
    test_places();
    test_random();
    test_limits();
    return utest_end();
}
