/* Two assemblers of other makers judge text and bits: what eu_print() writes of a random lawful
 * instruction, they must turn into the words of eu_encode(). iga64 (Intel Graphics Assembler)
 * for 7.5, 8 and 9; intel-gen4asm (Intel GPU tools) for 7, whose syntax differs and of which a part
 * is used. */
#include "eu_gen.h"
#include "utest.h"

enum { N = 1500 };

static const char asm_file[] = BINARY_DIR "/eu_judge.asm", out_file[] = BINARY_DIR "/eu_judge.out";

static bool installed(const char *tool)
{
    char command[128];
    snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", tool);
    return system(command) == 0;
}

static void check_iga(int gen, const char *platform)
{
    static struct eu_bits want[N];
    static char text[N][200];
    struct gen g = {.gen = gen, .state = 31 + gen, .for_iga = true};
    FILE *f = fopen(asm_file, "w");
    const char *why = "";
    char command[512];
    struct eu_bits got;
    int n = 0;
    REQUIRE(f);
    while (n < N) {
        struct eu_insn in = gen_lawful(&g);
        if (eu_op_info(in.op)->branch) /* their targets must lie in the file: eu_vectors.c */
            continue;
        CHECKF(eu_encode(gen, &in, &want[n], &why), "%s", why);
        eu_print(gen, &in, text[n], sizeof(text[n]));
        fprintf(f, "%s\n", text[n++]);
    }
    fclose(f);
    remove(out_file);
    snprintf(command, sizeof(command), "iga64 -q -a -p=%s %s -o %s 2>/dev/null", platform, asm_file,
             out_file);
    int status = system(command);
    CHECKF(status == 0, "iga64 -p=%s refuses some of our text", platform);
    f = fopen(out_file, "rb");
    if (!f)
        return;
    for (int i = 0; i < n; i++) {
        bool read = fread(&got, sizeof(got), 1, f) == 1;
        CHECKF(read && memcmp(&got, &want[i], sizeof(got)) == 0, "gen %d %s", gen, text[i]);
    }
    CHECK(fgetc(f) == EOF);
    fclose(f);
    remove(out_file);
    remove(asm_file);
}

static const char *gen4_condition(unsigned cond)
{
    static const char *const names[] = {"", ".z", ".nz", ".g", ".ge", ".l", ".le", "", ".o", ".u"};
    return names[cond];
}

static void gen4_operand(char *buf, size_t size, const struct eu_operand *o, bool is_dst)
{
    static const char *const types[] = {"UD", "D", "UW", "W", "UB", "B", "DF", "F"};
    int n;
    if (o->file == EU_IMM) {
        snprintf(buf, size, o->type == EU_UD ? "0x%x:UD" : "%d:D", (int)(uint32_t)o->imm);
        char *colon = strchr(buf, ':');
        memmove(colon, colon + 1, strlen(colon)); /* "4UD" */
        return;
    }
    n = snprintf(buf, size, "%s%sg%u", o->negate ? "-" : "", o->abs ? "(abs)" : "", o->reg);
    if (o->sub) /* in bytes */
        n += snprintf(buf + n, size - n, ".%u", o->sub);
    if (is_dst)
        n += snprintf(buf + n, size - n, "<%u>", o->hs);
    else
        n += snprintf(buf + n, size - n, "<%u,%u,%u>", o->vs, o->width, o->hs);
    snprintf(buf + n, size - n, "%s", types[o->type]);
}

static bool gen4_knows(const struct eu_operand *o)
{
    if (o->file == EU_IMM)
        return o->type == EU_UD || o->type == EU_D;
    return o->file == EU_GRF && !o->indirect && o->type <= EU_F && o->type != EU_DF;
}

/* The part of the old tool's language that is translated: direct GRF operands, no accumulator
 * write, the first channels. */
static bool gen4_text(const struct eu_insn *in, char *buf, size_t size)
{
    static const uint8_t ops[] = {EU_OP_mov,  EU_OP_add, EU_OP_mul, EU_OP_and,  EU_OP_or,
                                  EU_OP_xor,  EU_OP_shl, EU_OP_shr, EU_OP_asr,  EU_OP_not,
                                  EU_OP_sel,  EU_OP_cmp, EU_OP_avg, EU_OP_rndd, EU_OP_rnde,
                                  EU_OP_rndz, EU_OP_frc, EU_OP_lzd};
    unsigned n_src = eu_op_info(in->op)->n_src;
    char operand[3][64] = {"", "", ""};
    if (!memchr(ops, in->op, sizeof(ops)) || in->align16 || in->acc_wr || in->group || in->debug ||
        in->pred > EU_PRED_NORMAL || in->thread_ctrl || !gen4_knows(&in->dst))
        return false;
    gen4_operand(operand[0], sizeof(operand[0]), &in->dst, true);
    for (unsigned i = 0; i < n_src; i++) {
        if (!gen4_knows(&in->src[i]))
            return false;
        gen4_operand(operand[1 + i], sizeof(operand[0]), &in->src[i], false);
    }
    int n = 0;
    if (in->pred)
        n = snprintf(buf, size, "(%cf%u.%u) ", in->pred_inv ? '-' : '+', in->flag >> 1,
                     in->flag & 1);
    n += snprintf(buf + n, size - n, "%s%s", eu_op_info(in->op)->name, gen4_condition(in->cond));
    if (in->cond)
        n += snprintf(buf + n, size - n, ".f%u.%u", in->flag >> 1, in->flag & 1);
    snprintf(buf + n, size - n, "%s(%u) %s %s %s { align1 %s%s%s};", in->saturate ? ".sat" : "",
             in->exec_size, operand[0], operand[1], operand[2], in->no_mask ? "nomask " : "",
             in->no_dd_clr ? "NoDDClr " : "", in->no_dd_chk ? "NoDDChk " : "");
    return true;
}

static void check_gen4(void)
{
    enum { N4 = 400 };
    static struct eu_bits want[N4];
    static char text[N4][256];
    struct gen g = {.gen = 70, .quirks = 0, .state = 99};
    FILE *f = fopen(asm_file, "w");
    const char *why = "";
    char command[512], line[256];
    int n = 0;
    REQUIRE(f);
    while (n < N4) {
        struct eu_insn in = gen_lawful(&g);
        /* That tool writes the immediate's type where the absent second source has its own. */
        if (eu_op_info(in.op)->n_src == 1 && in.src[0].file == EU_IMM)
            continue;
        if (!gen4_text(&in, text[n], sizeof(text[n])))
            continue;
        CHECKF(eu_encode(70, &in, &want[n], &why), "%s", why);
        fprintf(f, "%s\n", text[n++]);
    }
    fclose(f);
    snprintf(command, sizeof(command), "intel-gen4asm -g 7 %s -o %s", asm_file, out_file);
    int status = system(command);
    CHECKF(status == 0, "intel-gen4asm refuses some of our text");
    f = fopen(out_file, "r");
    if (!f)
        return;
    int i = 0;
    while (fgets(line, sizeof(line), f) && i < n) {
        uint32_t dw[4];
        if (sscanf(line, " { %x, %x, %x, %x }", &dw[0], &dw[1], &dw[2], &dw[3]) != 4)
            continue;
        CHECKF(memcmp(dw, &want[i], 16) == 0, "%s: %08x %08x %08x %08x, ours %016llx %016llx",
               text[i], dw[0], dw[1], dw[2], dw[3], (unsigned long long)want[i].q[0],
               (unsigned long long)want[i].q[1]);
        i++;
    }
    CHECKF(i == n, "%d of %d lines", i, n);
    fclose(f);
    remove(out_file);
    remove(asm_file);
}

int main(void)
{
    bool iga = installed("iga64"), gen4 = installed("intel-gen4asm");
    if (!iga && !gen4)
        SKIP("neither iga64 nor intel-gen4asm is installed");
    if (iga) {
        check_iga(75, "7p5");
        check_iga(80, "8");
        check_iga(90, "9");
    }
    if (gen4)
        check_gen4();
    return utest_end();
}
