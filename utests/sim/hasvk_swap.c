/* A kernel of our compiler in the place of Mesa's shader, in Mesa's dispatch: see hasvk_swap.sh,
 * which compiles swap.cl and has Mesa's driver take it. What our code expects (gen/kbin.h) is what
 * Mesa gives when a group is one SIMD16 thread: buffers by binding-table entry, and 64 bytes of
 * constants, the first half the parameters (here the first group's number, 0), the second the local
 * ids as words. Usage: hasvk_swap FOLDER (of the .spv files). */
#include "vk.h"

enum { GROUPS = 256 };

static void pass_swap(unsigned pass, uint32_t push[16])
{
    (void)pass;
    for (uint32_t k = 0; k < 8; k++) {
        push[k] = 0;
        push[8 + k] = 2 * k | (2 * k + 1) << 16;
    }
}

static void want_swap(void)
{
    for (uint32_t i = 0; i < GROUPS * 16; i++) {
        uint32_t x = vk_in[i] + GROUPS, steps = 0;
        for (; (x & 7) && steps < 40; steps++)
            x = x & 1 ? x * 5 + 3 : x ^ x >> 3;
        if (steps == 40)
            x = x / (i + 1);
        vk_want[i] = x + steps * GROUPS;
    }
}

static const struct vk_test tests[] = {
    {.name = "swap", .want = want_swap, .groups = {GROUPS, 1, 1}, .pass = pass_swap},
};

int main(int argc, char **argv)
{
    return vk_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
