/* The tables themselves: every field set and read back on both layouts, no overlap, every opcode
 * found by its number, type codes without doubles. */
#include "gen/eu_table.h"

#include "utest.h"

static const int gens[] = {70, 75, 80, 90};

static void check_set_get(int gen, enum eu_field f)
{
    uint64_t mask = eu_field_mask(gen, f);
    const uint64_t values[] = {0, 1, mask, mask >> 1, 0x5555555555555555ull & mask};
    for (int ones = 0; ones < 2; ones++) {
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            struct eu_bits b = {{ones ? ~0ull : 0, ones ? ~0ull : 0}}, was = b;
            eu_set(gen, &b, f, values[i]);
            CHECKF(eu_get(gen, &b, f) == values[i], "%s", eu_pos[f].name);
            /* Nothing else has changed: put back what was there. */
            eu_set(gen, &b, f, eu_get(gen, &was, f));
            CHECKF(memcmp(&b, &was, sizeof(b)) == 0, "%s", eu_pos[f].name);
        }
    }
}

static bool together(enum eu_field a, enum eu_field b)
{
    unsigned ga = eu_pos[a].group, gb = eu_pos[b].group;
    return ga == gb || ga == EU_GROUP_CTRL || gb == EU_GROUP_CTRL;
}

static void check_overlap(int gen)
{
    int k = gen >= 80;
    for (int a = 0; a < EU_N_FIELDS; a++) {
        for (int b = a + 1; b < EU_N_FIELDS; b++) {
            if (!eu_has(gen, a) || !eu_has(gen, b) || !together(a, b))
                continue;
            bool apart = eu_pos[a].lo[k] > eu_pos[b].hi[k] || eu_pos[b].lo[k] > eu_pos[a].hi[k];
            CHECKF(apart, "gen %d: %s and %s", gen, eu_pos[a].name, eu_pos[b].name);
        }
    }
}

static void check_opcodes(void)
{
    for (int i = 0; i < EU_N_OPS; i++) {
        const struct eu_op_info *info = eu_op_info(i);
        CHECK(info->code < 128 && info->n_src <= 3 && info->first_gen <= info->last_gen);
        for (int g = 0; g < 4; g++) {
            bool has = gens[g] >= info->first_gen && gens[g] <= info->last_gen;
            CHECKF((eu_op_from_code(gens[g], info->code) == i) == has, "%s gen %d", info->name,
                   gens[g]);
        }
    }
    CHECK(eu_op_from_code(90, 0x7f) == -1 && eu_op_from_code(70, 0x12) == -1);
    CHECK(eu_op_from_code(75, 0x0a) == EU_OP_dim && eu_op_from_code(80, 0x0a) == EU_OP_smov);
}

static void check_types(void)
{
    for (int t = 0; t < EU_N_TYPES; t++) {
        CHECK(eu_type_size(t) >= 1 && eu_type_size(t) <= 8 && eu_type_name(t)[0]);
        for (int u = 0; u < t; u++) {
            for (int k = 0; k < 2; k++) {
                CHECK(eu_type_codes[t].reg[k] < 0 ||
                      eu_type_codes[t].reg[k] != eu_type_codes[u].reg[k]);
                CHECK(eu_type_codes[t].imm[k] < 0 ||
                      eu_type_codes[t].imm[k] != eu_type_codes[u].imm[k]);
            }
            CHECK(strcmp(eu_type_name(t), eu_type_name(u)) != 0);
        }
    }
}

static void check_exec_type(void)
{
    static const struct {
        const char *text;
        enum eu_type type;
    } rows[] = {
        {"add (8|M0) r2.0<1>:d r3.0<8;8,1>:w r4.0<8;8,1>:ub", EU_W},
        {"add (8|M0) r2.0<1>:d r3.0<8;8,1>:w r4.0<8;8,1>:ud", EU_D},
        {"add (4|M0) r2.0<1>:q r3.0<4;4,1>:d r4.0<4;4,1>:uq", EU_Q},
        {"mov (8|M0) r2.0<1>:f r3.0<16;8,2>:hf", EU_F},
        {"mov (8|M0) r2.0<2>:hf r3.0<8;8,1>:f", EU_F},
        {"add (8|M0) r2.0<1>:hf r3.0<8;8,1>:hf r4.0<8;8,1>:hf", EU_HF},
        {"add (8|M0) r2.0<1>:f r3.0<8;8,1>:hf r4.0<8;8,1>:f", EU_F},
        {"mov (4|M0) r2.0<1>:df r3.0<4;4,1>:f", EU_F},
        {"mov (8|M0) r2.0<1>:w 0x76543210:v", EU_W},
        {"math.inv (8|M0) r2.0<1>:f r3.0<8;8,1>:f", EU_F},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct eu_insn in;
        const char *why = "";
        bool ok = eu_parse(90, rows[i].text, &in, &why);
        CHECKF(ok, "%s: %s", rows[i].text, why);
        if (ok)
            CHECKF(eu_exec_type(&in) == rows[i].type, "%s: %s", rows[i].text,
                   eu_type_name(eu_exec_type(&in)));
    }
}

int main(void)
{
    for (int g = 0; g < 4; g++) {
        for (int f = 0; f < EU_N_FIELDS; f++) {
            if (eu_has(gens[g], f))
                check_set_get(gens[g], f);
        }
        check_overlap(gens[g]);
    }
    check_opcodes();
    check_types();
    check_exec_type();
    return utest_end();
}
