/* Uniform and varying: one case a rule of uniform.c. */
#include "backend/ir.h"
#include "utest.h"

/* The function with marks taken; 'u' or 'v' of the values named in what, in order. */
static void check(const char *body, const char *what, const char *want)
{
    char text[2048], name[16];
    const char *why = "";
    snprintf(text, sizeof text, "fn t push 16\nsurface arg 0 written\n%s", body);
    struct ir_fn *fn = ir_parse(text, NULL, &why);
    CHECKF(fn && !(why = ir_check(fn)), "%s\n%s", why, text);
    if (!fn || why)
        return;
    uniform_run(fn);
    for (int n; sscanf(what, "%15s%n", name, &n) == 1; what += n, want++) {
        bool found = false;
        for (uint32_t b = 0; b < fn->n_blocks; b++)
            for (const struct ir_insn *i = fn->blocks[b]->first; i; i = i->next)
                for (unsigned k = 0; k < i->n_dst; k++)
                    if (i->dst[k]->id == (uint32_t)atoi(name)) {
                        found = true;
                        CHECKF(i->dst[k]->uniform == (*want == 'u'), "%%%s in\n%s", name, text);
                    }
        CHECK(found);
    }
}

int main(void)
{
    check("a:\n %1:i32 = param 0\n %2:i32 = local_id 0\n %3:i32 = group_id 1\n %4:i32 = lane_id\n "
          "%5:i32 = thread_slot\n"
          " %6:i32 = simd_width\n %7:i32 = add %1, %3\n %8:i32 = add %7, %2\n %9:i1 = icmp.eq %7, "
          "4\n end\n",
          "1 2 3 4 5 6 7 8 9", "uvuvuuuvu");
    /* loads follow their address; both results of an operation go together */
    check(
        "a:\n %1:i32 = param 0\n %2:i32 = local_id 0\n %3:i32 = load surface 0 d32x1 align 4 [%1]\n"
        " %4:i32 = load surface 0 d32x1 align 4 [%2]\n %5:i32 = load slm d32x1 align 4 [4]\n"
        " %6:i32 = atomic slm inc d32x1 align 4 [4]\n %7:i32, %8:i32 = add_carry %2, 1\n end\n",
        "3 4 5 6 7 8", "uvuvvv");
    /* a phi behind a varying branch varies, unless both are the same; behind a uniform one it does
     * not */
    static const char branch[] =
        "a:\n %%1:i32 = %s 0\n %%2:i32 = param 4\n %%3:i1 = icmp.slt %%1, 5\n"
        " branch %%3, b, c merge c\nb:\n %%4:i32 = add %%2, 1\n jump c\nc:\n"
        " %%5:i32 = phi a %%2, b %%4\n %%6:i32 = phi a %%2, b %%2\n %%7:i32 = add %%5, 1\n end\n";
    char text[1024];
    snprintf(text, sizeof text, branch, "local_id");
    check(text, "1 3 4 5 6 7", "vvuvuv");
    snprintf(text, sizeof text, branch, "param");
    check(text, "1 3 4 5 6 7", "uuuuuu");
    /* a loop that lanes leave one by one: its counter is uniform inside, but not behind it */
    static const char loop[] =
        "a:\n %%1:i32 = %s 0\n jump b\nb:\n %%2:i32 = phi a 0, b %%3\n %%3:i32 = add %%2, 1\n"
        " %%4:i32 = mul %%2, 3\n %%5:i1 = icmp.slt %%3, %%1\n loop %%5, b, c\nc:\n"
        " %%6:i32 = add %%4, 1\n end\n";
    snprintf(text, sizeof text, loop, "local_id");
    check(text, "2 3 4 5 6", "uuvvv");
    snprintf(text, sizeof text, loop, "param");
    check(text, "2 3 4 5 6", "uuuuu");
    /* the same through an inner uniform loop */
    check("a:\n %1:i32 = local_id 0\n jump b\nb:\n %2:i32 = phi a 0, d %6\n jump c\nc:\n %3:i32 = "
          "phi b 0, c %4\n"
          " %4:i32 = add %3, 1\n %5:i1 = icmp.slt %4, 7\n loop %5, c, d\nd:\n %6:i32 = add %2, 1\n"
          " %7:i1 = icmp.slt %6, %1\n loop %7, b, e\ne:\n %8:i32 = add %4, 1\n end\n",
          "2 3 4 6 8", "uvvuv");
    /* a varying value carried by a loop makes its phi vary, and all that follows from it */
    check("a:\n %1:i32 = param 0\n %5:i32 = lane_id\n jump b\nb:\n %2:i32 = phi a 0, b %3\n %3:i32 "
          "= add %2, %5\n"
          " %6:i1 = icmp.slt %1, 5\n loop %6, b, c\nc:\n %7:i32 = add %3, 1\n end\n",
          "2 3 6 7", "vvuv");
    return utest_end();
}
