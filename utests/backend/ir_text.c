/* Gen IR: printer and parser agree, and the checker refuses each kind of broken function. */
#include "backend/ir.h"
#include "utest.h"

static const char whole[] =
    "fn k push 8 private 64 slm 16 denorms_zero\n"
    "param arg 0 offset 0 size 4 src 0\n"
    "param local_size 2 offset 4 size 4 src 0\n"
    "surface arg 0 written\n"
    "surface private 0\n"
    "b0:\n"
    "  %0:i32! = param 4\n"
    "  %1:i32 = local_id 0\n"
    "  %2:i1 = icmp.ult %1, 0x12345678 line 7\n"
    "  %3:f32, %4:i32 = load surface 0 d32x2 align 8 + 16 volatile constant [%1]\n"
    "  %5:f32 = fadd %3, 1.5f\n"
    "  %6:i1 = fclass 3, %5\n"
    "  branch %2, b1, b4 merge b5\n"
    "b1: preds b0\n"
    "  jump b2\n"
    "b2: preds b1 b2 ; depth 1\n"
    "  %7:i32 = phi b1 0, b2 %8\n"
    "  %8:i32 = add %7, -1\n"
    "  %9:i1 = icmp.ne %8, %1\n"
    "  loop %9, b2, b3\n"
    "b3: preds b2\n"
    "  %10:i32, %11:i32 = add_carry %8, %7\n"
    "  jump b5\n"
    "b4: preds b0\n"
    "  store slm d16x1 align 2 - 4 [%1] %4\n"
    "  barrier 3\n"
    "  jump b5\n"
    "b5: preds b3 b4\n"
    "  %12:i32 = phi b3 %10, b4 7\n"
    "  %13:i32 = atomic surface 0 cmpwr d32x1 align 4 [%1] %12, 5\n"
    "  atomic slm inc d32x1 align 4 [%1]\n"
    "  %14:f32 = select %6, %5, -0.25f\n"
    "  store a64 d32x2 align 4 [%1, 0] %14, %13\n"
    "  end line 12\n";

static char *printed(const struct ir_fn *fn)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ir_print(fn, f);
    fclose(f);
    return text;
}

static void round_trip(void)
{
    const char *why = NULL;
    const struct gen_device *dev = gen_device_by_name("skl-gt2");
    struct ir_fn *fn = ir_parse(whole, dev, &why);
    CHECKF(fn, "%s", why);
    if (!fn)
        return;
    why = ir_check(fn);
    CHECKF(!why, "%s", why);
    char *text = printed(fn);
    CHECKF(!strcmp(text, whole), "%s", text);
    CHECK(fn->n_push_bytes == 8 && fn->out->private_size == 64 && fn->denorms_zero);
    CHECK(fn->blocks[2]->loop_depth == 1 && fn->blocks[3]->loop_depth == 0);
    CHECK(fn->blocks[0]->first->dst[0]->uniform && fn->blocks[0]->last->op == IR_branch);
    free(text);
}

static void names_and_order(void)
{
    const char *why = NULL;
    struct ir_fn *fn = ir_parse("fn n push 0\n"
                                "first: ; a comment\n"
                                "  %x:i32 = lane_id\n"
                                "  %c:i1 = icmp.eq %x, 0\n"
                                "  branch %c, then, last merge last\n"
                                "then:\n"
                                "  jump last\n"
                                "last: preds then first\n"
                                "  %p:i32 = phi first 1, then %x\n"
                                "  end\n",
                                NULL, &why);
    CHECKF(fn, "%s", why);
    if (!fn)
        return;
    why = ir_check(fn);
    CHECKF(!why, "%s", why);
    struct ir_insn *phi = fn->blocks[2]->first;
    CHECK(phi->src[0].value && !phi->src[1].value && phi->src[1].imm == 1);
}

static void syntax(const char *text, const char *want)
{
    const char *why = "";
    struct ir_fn *fn = ir_parse(text, NULL, &why);
    CHECKF(!fn && strstr(why, want), "\"%s\" instead of \"%s\"", why, want);
}

/* A function of one rule's own: its body, and a part of what the checker must say. */
static void broken(const char *body, const char *want)
{
    const char *why = "";
    char text[2048];
    snprintf(text, sizeof text, "fn t push 4\nsurface arg 0\n%s", body);
    struct ir_fn *fn = ir_parse(text, gen_device_by_name("hsw-gt2"), &why);
    CHECKF(fn, "%s\n%s", why, text);
    if (!fn)
        return;
    why = ir_check(fn);
    CHECKF(why && strstr(why, want), "\"%s\" instead of \"%s\"", why ? why : "fine", want);
}

static void rules(void)
{
    broken("", "no blocks");
    broken("a:\n", "a is empty" + 2);
    broken("a:\n end\n %1:i32 = lane_id\n end\n", "wrong place");
    broken("a:\n %1:i32 = lane_id\n", "wrong place");
    broken("a:\n jump b\nb:\n %1:i32 = lane_id\n %2:i32 = phi a 1\n end\n", "phi after");
    broken("a:\n jump c\nb:\n jump c\nc:\n end\n", "cannot be reached");
    broken("a:\n jump b\nb: preds a a\n end\n", "twice");
    broken("a:\n jump b\nb: preds a b\n end\n", "does not go there");
    broken("a:\n jump b\nb:\n loop 1, c, d\nc:\n jump d\nd:\n end\n", "loop goes forward");
    broken("a:\n jump b\nb:\n branch 1, c, d merge d\nc:\n loop 0, a, d\nd:\n end\n",
           "has predecessors");
    broken("a:\n branch 1, b, c merge d\nb:\n jump c\nc:\n jump d\nd:\n end\n", "out of order");
    broken("a:\n branch 1, b, b merge b\nb:\n end\n", "twice");
    broken("a:\n branch 1, b, c merge c\nb:\n end\nc:\n jump d\nd:\n jump c\n", "out of order");
    broken("a:\n end\nb:\n jump b\n", "blocks after an end");
    /* the same merge block for two branches */
    broken("a:\n branch 1, b, d merge d\nb:\n branch 1, c, d merge d\nc:\n jump d\nd:\n end\n",
           "out of order");
    /* a loop that leaves an arm to the other arm */
    broken("a:\n branch 1, b, d merge e\nb:\n jump c\nc:\n loop 0, c, d\nd:\n jump e\ne:\n end\n",
           "leaves its region");
    broken("a:\n jump b\nb:\n jump c\nc:\n loop 0, b, d\nd:\n loop 0, b, e\ne:\n end\n",
           "two predecessors");
    broken("a:\n %1:i1 = icmp.oeq 1, 2\n end\n", "predicate");
    broken("a:\n %1:i1 = fcmp.slt 1, 2\n end\n", "predicate");
    broken("a:\n %1:i32 = group_id 3\n end\n", "dimension");
    broken("a:\n %1:i32 = param 4\n end\n", "param");
    broken("a:\n %1:i32 = param 2\n end\n", "param");
    broken("a:\n %1:f32 = add 1, 2\n end\n", "wrong type");
    broken("a:\n %1:i32 = icmp.eq 1, 2\n end\n", "wrong type");
    broken("a:\n %1:f32 = frcp 2.0f\n %2:i32 = add %1, 1\n end\n", "wrong type");
    broken("a:\n %1:f32 = frcp 2.0f\n %2:i32 = select 1, %1, 1\n end\n", "wrong type");
    broken("a:\n %1:i1 = and1 1, 2\n end\n", "as a bit");
    broken("a:\n %1:i1 = mov 1\n %2:i32 = mov %1\n end\n", "wrong type");
    broken("a:\n %1:i32 = add %1, 1\n end\n", "dominate");
    broken("a:\n %1:i32 = add %2, 1\n %2:i32 = lane_id\n end\n", "dominate");
    broken("a:\n branch 1, b, c merge c\nb:\n %1:i32 = lane_id\n jump c\nc:\n"
           " %2:i32 = add %1, 1\n end\n",
           "dominate");
    broken("a:\n %1:i32 = load a64 d32x1 align 4 [0, 0]\n end\n", "no such space");
    broken("a:\n %1:i32 = load surface 1 d32x1 align 4 [0]\n end\n", "not in the table");
    broken("a:\n %1:i32 = load slm d24x1 align 4 [0]\n end\n", "bytes");
    broken("a:\n %1:i32 = load slm d32x17 align 4 [0]\n end\n", "components");
    broken("a:\n %1:i32 = load slm d32x1 align 3 [0]\n end\n", "alignment");
    broken("a:\n %1:i32 = load slm d32x2 align 4 [0]\n end\n", "load");
    broken("a:\n store slm d32x1 align 4 [0]\n end\n", "store");
    broken("a:\n %1:i32 = atomic slm add d32x1 align 4 [0]\n end\n", "atomic");
    broken("a:\n %1:i32 = atomic slm inc d16x1 align 4 [0]\n end\n", "atomic");
    broken("a:\n %1:i1 = load slm d32x1 align 4 [0]\n end\n", "wrong type");
}

/* What the text cannot say. */
static void counts(void)
{
    const char *why;
    struct ir_fn *fn =
        ir_parse("fn t push 0\na:\n %1:i32 = lane_id\n %2:i32 = add %1, %1\n end\n", NULL, &why);
    REQUIRE(fn && !ir_check(fn));
    struct ir_value *v = fn->blocks[0]->first->dst[0];
    CHECK(v->n_uses == 2);
    v->n_uses = 1;
    CHECK(ir_check(fn) && strstr(ir_check(fn), "uses"));
    v->n_uses = 2;
    v->id = 2;
    CHECK(ir_check(fn) && strstr(ir_check(fn), "twice"));
    v->id = 1;
    fn->blocks[0]->index = 1;
    CHECK(ir_check(fn) && strstr(ir_check(fn), "index"));
    fn->blocks[0]->index = 0;
    ir_replace(fn, v, ir_imm(3));
    CHECK(v->n_uses == 0 && !ir_check(fn));
    ir_remove(v->def);
    CHECK(!ir_check(fn) && fn->blocks[0]->first->op == IR_add);
}

int main(void)
{
    round_trip();
    names_and_order();
    syntax("", "empty");
    syntax("fn x push 0\n  end\n", "outside a block");
    syntax("fn x push 0\na:\n foo\n", "line 3: not an operation");
    syntax("fn x push 0\na:\na:\n end\n", "defined twice");
    syntax("fn x push 0\na:\n %1:i32 = add %2, 1\n end\n", "undefined");
    syntax("fn x push 0\na:\n %1:i32 = add 1\n end\n", "expected ,");
    syntax("fn x push 0\na:\n jump c\n", "no such block");
    syntax("fn x push 0\na:\n end 5\n", "more than expected");
    syntax("fn x push 0\na:\n %1:i32 = lane_id\n %1:i32 = lane_id\n end\n", "defined twice");
    syntax("fn x push 0\na:\n jump b\nb:\n %1:i32 = phi b 1\n end\n", "no source");
    rules();
    counts();
    return utest_end();
}
