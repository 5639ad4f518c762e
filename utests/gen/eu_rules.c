/* Each rule of eu_rule.def by one instruction it accepts and one it rejects, next to each other. */
#include "gen/device.h"
#include "gen/eu.h"

#include "utest.h"

enum rule {
#define EU_RULE(name, first, last, quirks, text) RULE_##name,
#include "gen/eu_rule.def"
#undef EU_RULE
    N_RULES
};

static const struct {
    const char *name, *text;
    int first, last;
    uint32_t quirks;
} rules[N_RULES] = {
#define EU_RULE(name, first, last, quirks, text) {#name, text, first, last, quirks},
#include "gen/eu_rule.def"
#undef EU_RULE
};

enum { DF = GEN_QUIRK_DF_DWORD_REGIONS, LP = GEN_QUIRK_64BIT_REGIONS };

/* The devices that rules tell apart: each rule has its two examples on each that it applies to. */
static const struct {
    const char *name;
    int gen;
    uint32_t quirks;
} parts[] = {{"ivb", 70, DF}, {"hsw", 75, 0}, {"bdw", 80, 0},
             {"chv", 80, LP}, {"skl", 90, 0}, {"glk", 90, LP}};
enum { N_PARTS = sizeof(parts) / sizeof(parts[0]) };

static const struct {
    enum rule rule;
    int gen;
    uint32_t quirks;
    const char *good, *bad;
} cases[] = {
    {RULE_group, 90, 0, "mov (16|M16) r2.0<1>:f r4.0<8;8,1>:f",
     "mov (16|M8) r2.0<1>:f r4.0<8;8,1>:f"},
    {RULE_group, 70, DF, "mov (8|M4) r2.0<1>:df r4.0<8;8,1>:df",
     "mov (8|M4) r2.0<1>:f r4.0<8;8,1>:f"},
    {RULE_simd32_condition7, 75, 0, "mov (16|M0) (ne)f0.0 r2.0<1>:w r4.0<16;16,1>:w",
     "mov (32|M0) (ne)f0.0 r2.0<1>:w r4.0<16;16,1>:w"},
    {RULE_logic_abs, 80, 0, "and (8|M0) r2.0<1>:d ~r4.0<8;8,1>:d r5.0<8;8,1>:d",
     "and (8|M0) r2.0<1>:d (abs)r4.0<8;8,1>:d r5.0<8;8,1>:d"},
    {RULE_modifier, 90, 0, "lzd (8|M0) r2.0<1>:ud -r4.0<8;8,1>:d",
     "fbh (8|M0) r2.0<1>:ud -r4.0<8;8,1>:d"},
    {RULE_int_math_modifier, 75, 0, "math.inv (8|M0) r2.0<1>:f -r4.0<8;8,1>:f",
     "math.iqot (8|M0) r2.0<1>:d -r4.0<8;8,1>:d r5.0<8;8,1>:d"},
    {RULE_align16_predicate, 75, 0,
     "(f0.0.all4h) mov (8|M0) r2.0<1>.xyzw:f r4.0<4>.yxwz:f {Align16}",
     "(f0.0.all8h) mov (8|M0) r2.0<1>.xyzw:f r4.0<4>.yxwz:f {Align16}"},
    {RULE_cmp_condition, 90, 0, "cmp (8|M0) (lt)f0.0 null<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f",
     "cmp (8|M0) null<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f"},
    {RULE_cmp_condition, 75, 0,
     "cmp (8|M0) (lt)f0.0 null<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f {Switch}",
     "cmp (8|M0) null<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f {Switch}"},
    {RULE_sel_chooser, 90, 0, "sel (8|M0) (ge)f0.0 r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f",
     "(f0.0) sel (8|M0) (ge)f0.0 r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f"},
    {RULE_sel_chooser, 90, 0, "(f0.0) sel (8|M0) r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f",
     "sel (8|M0) r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f"},
    {RULE_acc_write, 75, 0, "addc (8|M0) r2.0<1>:ud r4.0<8;8,1>:ud r5.0<8;8,1>:ud {AccWrEn}",
     "addc (8|M0) r2.0<1>:ud r4.0<8;8,1>:ud r5.0<8;8,1>:ud"},

    {RULE_region_codes, 90, 0, "mov (8|M0) r2.0<1>:f r4.0<8;4,2>:f",
     "mov (8|M0) r2.0<1>:f r4.0<6;4,2>:f"},
    {RULE_width_of_exec, 90, 0, "mov (8|M0) r2.0<1>:f r4.0<8;8,1>:f",
     "mov (4|M0) r2.0<1>:f r4.0<8;8,1>:f"},
    {RULE_one_row, 90, 0, "mov (8|M0) r2.0<1>:w r4.0<16;8,2>:w",
     "mov (8|M0) r2.0<1>:w r4.0<8;8,2>:w"},
    {RULE_width_one, 90, 0, "mov (8|M0) r2.0<1>:f r4.0<2;1,0>:f",
     "mov (8|M0) r2.0<1>:f r4.0<2;1,1>:f"},
    {RULE_scalar, 90, 0, "mov (1|M0) r2.0<1>:f r4.0<0;1,0>:f",
     "mov (1|M0) r2.0<1>:f r4.0<8;1,0>:f"},
    {RULE_zero_strides, 90, 0, "mov (8|M0) r2.0<1>:f r4.0<0;1,0>:f",
     "mov (8|M0) r2.0<1>:f r4.0<0;4,0>:f"},
    {RULE_row_crosses, 90, 0, "mov (8|M0) r2.0<1>:f r4.4<4;4,1>:f",
     "mov (8|M0) r2.0<1>:f r4.4<8;8,1>:f"},
    {RULE_source_span, 90, 0, "mov (8|M0) r2.0<1>:f r4.0<16;8,2>:w",
     "mov (16|M0) r2.0<1>:f r4.0<32;2,1>:w"},
    {RULE_source_file, 90, 0, "add (8|M0) r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f",
     "add (8|M0) r2.0<1>:f r4.0<8;8,1>:f null<8;8,1>:f"},
    {RULE_sub_alignment, 90, 0, "mov (1|M0) r2.1<1>:d r4.1<0;1,0>:d",
     "mov (1|M0) r2.1<1>:d r4.b2<0;1,0>:d"},
    {RULE_register_end, 90, 0, "mov (16|M0) r126.0<1>:f r4.0<8;8,1>:f",
     "mov (16|M0) r127.0<1>:f r4.0<8;8,1>:f"},
    {RULE_immediate_place, 90, 0, "add (8|M0) r2.0<1>:d r4.0<8;8,1>:d 1:d",
     "add (8|M0) r2.0<1>:d 1:d r4.0<8;8,1>:d"},
    {RULE_indirect_count7, 75, 0, "mov (8|M0) r2.0<1>:f r[a0.0]<1,0>:f",
     "mov (16|M0) r2.0<1>:f r[a0.0]<1,0>:f"},
    {RULE_indirect_count8, 90, 0, "mov (8|M0) r2.0<1>:f r[a0.8]<1,0>:f",
     "mov (8|M0) r2.0<1>:f r[a0.9]<1,0>:f"},
    {RULE_indirect_64, 80, LP, "mov (8|M0) r2.0<1>:d r[a0.0]<1,0>:d",
     "mov (4|M0) r2.0<1>:q r[a0.0]<1,0>:q"},

    {RULE_dst_stride, 90, 0, "mov (8|M0) r2.0<2>:w r4.0<8;8,1>:d",
     "mov (8|M0) r2.0<0>:w r4.0<8;8,1>:d"},
    {RULE_dst_span, 90, 0, "mov (16|M0) r2.0<1>:f r4.0<0;1,0>:f",
     "mov (32|M0) r2.0<1>:f r4.0<0;1,0>:f"},
    {RULE_dst_narrow, 75, 0, "mov (8|M0) r2.0<2>:w r4.0<8;8,1>:d",
     "mov (8|M0) r2.0<1>:w r4.0<8;8,1>:d"},
    {RULE_dst_narrow, 75, 0, "mov (8|M0) r2.0<2>:w r4.0<8;8,1>:d",
     "mov (8|M0) r2.1<2>:w r4.0<8;8,1>:d"},
    {RULE_dst_narrow, 90, 0, "mov (8|M0) r2.8<1>:hf r4.0<8;8,1>:f",
     "mov (8|M0) r2.4<1>:hf r4.0<8;8,1>:f"},
    {RULE_dst_byte, 90, 0, "mov (16|M0) r2.0<1>:ub r4.0<16;16,1>:ub",
     "add (16|M0) r2.0<1>:ub r4.0<16;16,1>:ub r5.0<16;16,1>:ub"},
    {RULE_dst_file, 90, 0, "(W) mov (1|M0) f0.0<1>:ud r4.0<0;1,0>:ud",
     "(W) mov (1|M0) ce0.0<1>:ud r4.0<0;1,0>:ud"},
    {RULE_dst_file, 75, 0, "(W) mov (1|M0) sr0.1<1>:ud r4.0<0;1,0>:ud",
     "(W) mov (1|M0) ce0.0<1>:ud r4.0<0;1,0>:ud"},
    {RULE_dst_half, 80, 0, "mov (16|M0) r2.0<1>:w r4.0<16;8,2>:w",
     "mov (8|M0) r2.2<1>:w r4.0<16;4,1>:w"},
    {RULE_dst_even, 80, 0, "mov (8|M0) r2.12<1>:w r4.8<8;8,1>:w",
     "mov (8|M0) r2.14<1>:w r4.8<8;8,1>:w"},
    {RULE_dst_even, 75, 0, "mov (8|M0) r2.0<1>:d r4.0<8;8,1>:d",
     "mov (8|M0) r2.2<1>:d r4.0<8;8,1>:d"},
    {RULE_math_dst_even, 90, 0, "math.inv (8|M0) r2.0<1>:f r4.0<8;8,1>:f",
     "math.inv (8|M0) r2.2<1>:f r4.0<8;8,1>:f"},
    {RULE_two_registers, 75, 0, "mov (16|M0) r2.0<1>:d r4.0<8;8,1>:f",
     "mov (16|M0) r2.0<1>:d r4.0<0;8,1>:f"},
    {RULE_two_registers, 75, 0, "mov (16|M0) r2.0<1>:d r4.0<8;8,1>:w",
     "mov (8|M0) r2.0<2>:d r4.0<8;8,1>:d"},

    {RULE_types, 90, 0, "fbl (1|M0) r2.0<1>:ud r4.0<0;1,0>:uw",
     "fbl (1|M0) r2.0<1>:ud r4.0<0;1,0>:ub"},
    {RULE_types, 90, 0, "shl (8|M0) r2.0<1>:d r4.0<8;8,1>:d 3:w",
     "shl (8|M0) r2.0<1>:f r4.0<8;8,1>:f 0x3:f"},
    {RULE_types, 90, 0, "math.irem (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d",
     "math.irem (8|M0) r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f"},
    {RULE_mixed_int_float, 90, 0, "add (8|M0) r2.0<1>:f r4.0<8;8,1>:d r5.0<8;8,1>:d",
     "add (8|M0) r2.0<1>:f r4.0<8;8,1>:d r5.0<8;8,1>:f"},
    {RULE_byte_64, 90, 0, "mov (4|M0) r2.0<1>:q r4.0<4;4,1>:w",
     "mov (4|M0) r2.0<1>:q r4.0<4;4,1>:b"},
    {RULE_byte_64, 75, 0, "mov (1|M0) r2.0<1>:df r4.0<0;1,0>:f",
     "mov (1|M0) r2.0<1>:df r4.0<0;1,0>:b"},
    {RULE_half_64, 90, LP, "mov (1|M0) r2.0<1>:df r4.0<0;1,0>:f",
     "mov (1|M0) r2.0<1>:df r4.0<0;1,0>:hf"},
    {RULE_half_64, 90, 0, "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:f",
     "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:hf"},
    {RULE_half_int, 90, 0, "mov (8|M0) r2.0<2>:hf r4.0<8;8,1>:w",
     "mov (8|M0) r2.0<1>:hf r4.0<8;8,1>:w"},
    {RULE_mixed_half_simd8, 90, 0, "add (8|M0) r2.0<1>:f r4.0<8;8,1>:hf r5.0<8;8,1>:f",
     "add (16|M0) r2.0<1>:f r4.0<16;16,1>:hf r6.0<8;8,1>:f"},
    {RULE_mixed_half_sel, 90, 0, "sel (8|M0) (lt)f0.0 r2.0<2>:hf r4.0<8;8,1>:hf r5.0<8;8,1>:f",
     "sel (8|M0) (lt)f0.0 r2.0<1>:hf r4.0<8;8,1>:hf r5.0<8;8,1>:f"},
    {RULE_vector_immediate, 90, 0, "mov (8|M0) r2.0<1>:uw 0x76543210:v",
     "mov (8|M0) r2.0<4>:uw 0x76543210:v"},
    {RULE_vector_immediate, 90, 0, "mov (4|M0) r2.0<1>:f 0x30303030:vf",
     "mov (4|M0) r2.0<2>:f 0x30303030:vf"},
    {RULE_flag_type, 90, 0, "(W) mov (1|M0) f0.1<1>:uw 0x1:uw", "(W) mov (1|M0) f0.0<1>:f 1.0:f"},
    {RULE_df_simd, 70, DF, "add (8|M0) r2.0<1>:df r4.0<8;8,1>:df r5.0<8;8,1>:df",
     "add (16|M0) r2.0<1>:df r4.0<8;8,1>:df r6.0<8;8,1>:df"},
    {RULE_df_simd, 75, 0, "cmp (8|M0) (lt)f0.0 null<1>:df r4.0<0;1,0>:df r5.0<0;1,0>:df {Switch}",
     "cmp (16|M0) (lt)f0.0 null<1>:df r4.0<0;1,0>:df r5.0<0;1,0>:df {Switch}"},
    {RULE_depend_place, 90, 0, "mov (1|M0) r2.0<1>:ud r4.0<0;1,0>:ud {NoDDClr}",
     "mov (1|M0) f0.0<1>:ud r4.0<0;1,0>:ud {NoDDClr}"},
    {RULE_depend_place, 70, 0, "(W) mov (8|M0) a0.0<1>:uw 0x280:uw {NoDDClr}",
     "(W) mov (1|M0) acc0.0<1>:ud r4.0<0;1,0>:ud {NoDDClr}"},
    {RULE_depend_place, 75, 0, "mov (1|M0) r2.0<1>:ud r4.0<0;1,0>:ud {NoDDChk}",
     "mov (1|M0) r[a0.0]<1>:ud r4.0<0;1,0>:ud {NoDDChk}"},
    {RULE_depend_place, 80, 0, "math.inv (8|M0) r2.0<1>:f r4.0<8;8,1>:f",
     "math.inv (8|M0) r2.0<1>:f r4.0<8;8,1>:f {NoDDClr}"},
    {RULE_depend_last, 70, 0, "(f0.0) mov (4|M0) r2.0<1>:ud r4.0<4;4,1>:ud {NoDDClr,NoDDChk}",
     "(f0.0) mov (4|M0) r2.0<1>:ud r4.0<4;4,1>:ud {NoDDChk}"},
    {RULE_df_no_dd, 80, 0, "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:df",
     "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:df {NoDDClr}"},
    {RULE_df_no_dd, 80, 0, "mul (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d",
     "mul (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d {NoDDClr}"},
    {RULE_df_no_dd_lp, 90, LP, "mul (4|M0) r2.0<2>:d r4.0<8;4,2>:d r5.0<8;4,2>:d",
     "mul (4|M0) r2.0<2>:d r4.0<8;4,2>:d r5.0<8;4,2>:d {NoDDChk}"},
    {RULE_df_no_dd_lp, 90, LP, "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:df",
     "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:df {NoDDChk}"},
    {RULE_align16_64, 90, 0, "mov (2|M0) r2.0<1>.xyzw:df r4.0<4>.xyzw:f {Align16}",
     "mov (4|M0) r2.0<1>.xyzw:df r4.0<4>.xyzw:f {Align16}"},
    {RULE_regions_64_stride, 90, LP, "mov (4|M0) r2.0<1>:q r4.0<8;4,2>:d",
     "mov (4|M0) r2.0<1>:q r4.0<4;4,1>:d"},
    {RULE_regions_64_stride, 90, LP, "mul (4|M0) r2.0<2>:d r4.0<8;4,2>:d r5.0<8;4,2>:d",
     "mul (4|M0) r2.0<1>:d r4.0<4;4,1>:d r5.0<4;4,1>:d"},
    {RULE_regions_64_rows, 90, LP, "mov (4|M0) r2.0<1>:q r4.0<2;2,1>:q",
     "mov (4|M0) r2.0<1>:q r4.0<4;2,1>:q"},
    {RULE_regions_64_sub, 90, LP, "mov (2|M0) r2.1<1>:q r4.1<2;2,1>:q",
     "mov (2|M0) r2.1<1>:q r4.0<2;2,1>:q"},
    {RULE_regions_64_arf, 90, LP, "add (4|M0) r2.0<1>:q r4.0<4;4,1>:q r5.0<4;4,1>:q",
     "add (4|M0) r2.0<1>:q r4.0<4;4,1>:q r5.0<4;4,1>:q {AccWrEn}"},

    {RULE_arf_src1, 75, 0, "add (8|M0) r2.0<1>:f acc0.0<8;8,1>:f r4.0<8;8,1>:f",
     "add (8|M0) r2.0<1>:f r4.0<8;8,1>:f acc0.0<8;8,1>:f"},
    {RULE_acc_int_sub, 90, 0, "mov (4|M0) r2.0<1>:d acc0.0<4;4,1>:d",
     "mov (4|M0) r2.0<1>:d acc0.4<4;4,1>:d"},
    {RULE_acc1_int, 90, 0, "mov (8|M0) r2.0<1>:f acc1.0<8;8,1>:f",
     "mov (8|M0) r2.0<1>:d acc1.0<8;8,1>:d"},
    {RULE_acc_int_simd, 75, 0, "mach (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d {AccWrEn}",
     "mach (16|M0) r2.0<1>:d r4.0<8;8,1>:d r6.0<8;8,1>:d {AccWrEn}"},
    {RULE_acc_quarter, 70, DF, "mach (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d {AccWrEn}",
     "mach (8|M8) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d {AccWrEn}"},

    {RULE_src3_simd7, 70, DF, "mad (8|M0) r2.0<1>:f r4.0<4;1>:f r5.0<4;1>:f r6.0<1>:f",
     "mad (16|M0) r2.0<1>:f r4.0<4;1>:f r6.0<4;1>:f r8.0<1>:f"},
    {RULE_src3_simd, 75, 0, "mad (16|M0) r2.0<1>:f r4.0<4;1>:f r6.0<4;1>:f r8.0<1>:f",
     "mad (32|M0) r2.0<1>:f r4.0<4;1>:f r6.0<4;1>:f r8.0<1>:f"},
    {RULE_src3_span, 90, 0, "mad (8|M0) r2.0<1>:df r4.0<4;1>:df r6.0<4;1>:df r8.0<1>:df",
     "mad (8|M0) r2.2<1>:df r4.0<4;1>:df r6.0<4;1>:df r8.0<1>:df"},
    {RULE_src3_df_rep, 90, 0, "mad (4|M0) r2.0<1>:df r4.1<0;0>:df r6.0<4;1>:df r8.0<1>:df",
     "mad (4|M0) r2.0<1>:df r4.0<0;0>.xyzw:df r6.0<4;1>:df r8.0<1>:df"},
    {RULE_src3_packed_sub, 90, 0, "mad (4|M0) r2.0<1>:f r4.4<4;1>:f r6.0<4;1>:f r8.0<1>:f",
     "mad (4|M0) r2.0<1>:f r4.2<4;1>:f r6.0<4;1>:f r8.0<1>:f"},
    {RULE_src3_half_sub, 80, 0, "mad (8|M0) r2.0<1>:hf r4.0<4;1>:hf r6.0<4;1>:hf r8.0<1>:hf",
     "mad (8|M0) r2.0<1>:hf r4.8<4;1>:hf r6.0<4;1>:hf r8.0<1>:hf"},
    {RULE_bfi_simd8, 75, 0, "bfi1 (8|M0) r2.0<1>:ud r4.0<8;8,1>:ud r5.0<8;8,1>:ud",
     "bfi1 (16|M0) r2.0<1>:ud r4.0<8;8,1>:ud r6.0<8;8,1>:ud"},

    {RULE_math_simd, 90, 0, "math.inv (16|M0) r2.0<1>:f r4.0<8;8,1>:f",
     "math.iqot (16|M0) r2.0<1>:d r4.0<8;8,1>:d r6.0<8;8,1>:d"},
    {RULE_math_immediate, 75, 0, "math.pow (8|M0) r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f",
     "math.pow (8|M0) r2.0<1>:f r4.0<8;8,1>:f 2.0:f"},
    {RULE_math_source, 90, 0, "math.inv (8|M0) r2.0<1>:f r4.0<8;8,1>:f",
     "math.inv (8|M0) r2.0<1>:f acc0.0<8;8,1>:f"},
    {RULE_math_region, 75, 0, "math.inv (8|M0) r2.0<1>:f r4.0<8;8,1>:f",
     "math.inv (8|M0) r2.0<1>:f r4.0<8;4,2>:f"},

    {RULE_cr0_switch, 90, 0, "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x40:ud {Switch}",
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x40:ud"},
    {RULE_cmp_null_switch, 75, 0,
     "cmp (8|M0) (lt)f0.0 null<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f {Switch}",
     "cmp (8|M0) (lt)f0.0 null<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f"},
    {RULE_cmp_simd16, 70, DF, "cmp (8|M0) (lt)f0.0 r2.0<1>:f r4.0<8;8,1>:f r5.0<8;8,1>:f",
     "cmp (16|M0) (lt)f0.0 r2.0<1>:f r4.0<8;8,1>:f r6.0<8;8,1>:f"},
    {RULE_wait_operand, 90, 0, "wait n0.0<0;1,0>:ud", "wait r2.0<0;1,0>:ud"},

    {RULE_send_payload, 90, 0, "send (8|M0) r10:ud r2:ud 0xC 0x02106E00",
     "send (8|M0) r10.4:ud r2:ud 0xC 0x02106E00"},
    {RULE_send_length, 90, 0, "send (8|M0) r10:ud r2:ud 0xC 0x02106E00",
     "send (8|M0) r10:ud r2:ud 0xC 0x00106E00"},
    {RULE_send_range, 90, 0, "send (16|M0) r10:ud r126:ud 0xC 0x04205E00",
     "send (16|M0) r10:ud r127:ud 0xC 0x04205E00"},
    {RULE_send_response, 90, 0, "send (8|M0) null:ud r2:ud 0xC 0x04026E00",
     "send (8|M0) null:ud r2:ud 0xC 0x02106E00"},
    {RULE_send_overlap, 90, 0, "sends (8|M0) null:ud r2:ud r3 0x4C 0x02026E00",
     "sends (8|M0) null:ud r2:ud r2 0x4C 0x02026E00"},
    {RULE_send_eot, 90, 0, "(W) send (8|M0) null:ud r112:ud 0x27 0x02000010 {EOT}",
     "(W) send (8|M0) null:ud r2:ud 0x27 0x02000010 {EOT}"},
    {RULE_send_r127, 80, 0, "send (16|M0) r126:uw r124:ud 0xC 0x04205E00",
     "send (16|M0) r126:uw r127:ud 0xC 0x02205E00"},
};

/* What a row's generations and quirks can't say. */
static const struct {
    enum rule rule;
    const char *part;
} exempt[] = {
    {RULE_mixed_half_sel, "bdw"}, /* needs a strided destination already (dst_narrow) */
    {RULE_src3_half_sub, "chv"},  /* halves as on Gen9 */
};

static bool seen[N_RULES][N_PARTS];

static bool applies(enum rule rule, unsigned part)
{
    for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++) {
        if (exempt[i].rule == rule && strcmp(exempt[i].part, parts[part].name) == 0)
            return false;
    }
    return parts[part].gen >= rules[rule].first && parts[part].gen <= rules[rule].last &&
           (!rules[rule].quirks || rules[rule].quirks & parts[part].quirks);
}

/* The pair on another part: counts if it shows the rule there too. */
static void try_pair(enum rule rule, const struct eu_insn *good, const struct eu_insn *bad,
                     unsigned part)
{
    const char *broken = eu_check(parts[part].gen, parts[part].quirks, bad);
    if (!eu_check(parts[part].gen, parts[part].quirks, good) && broken &&
        strcmp(broken, rules[rule].text) == 0)
        seen[rule][part] = true;
}

static void check_case(enum rule rule, int gen, uint32_t quirks, const struct eu_insn *good,
                       const struct eu_insn *bad)
{
    char text[256];
    const char *broken = eu_check(gen, quirks, good);
    eu_print(gen, good, text, sizeof(text));
    CHECKF(!broken, "%s: gen %d \"%s\" is rejected: %s", rules[rule].name, gen, text, broken);
    broken = eu_check(gen, quirks, bad);
    eu_print(gen, bad, text, sizeof(text));
    CHECKF(broken && strcmp(broken, rules[rule].text) == 0, "%s: gen %d \"%s\": %s",
           rules[rule].name, gen, text, broken ? broken : "accepted");
    for (unsigned part = 0; part < N_PARTS; part++)
        try_pair(rule, good, bad, part);
}

/* The texts, where the part's assembler takes them. */
static void try_texts(enum rule rule, const char *good_text, const char *bad_text)
{
    const char *why;
    for (unsigned part = 0; part < N_PARTS; part++) {
        struct eu_insn good, bad;
        if (eu_parse(parts[part].gen, good_text, &good, &why) &&
            eu_parse(parts[part].gen, bad_text, &bad, &why))
            try_pair(rule, &good, &bad, part);
    }
}

static struct eu_insn parsed(int gen, const char *text)
{
    struct eu_insn in = {0};
    const char *why = "";
    bool ok = eu_parse(gen, text, &in, &why);
    CHECKF(ok, "gen %d \"%s\": %s", gen, text, why);
    return in;
}

/* What no text can say. */
static void check_built(void)
{
    struct eu_insn good = parsed(90, "add (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d"),
                   bad = good;
    bad.op = EU_OP_f16to32;
    check_case(RULE_generation, 90, 0, &good, &bad);
    bad = good;
    bad.exec_size = 3;
    check_case(RULE_exec_size, 90, 0, &good, &bad);
    bad = parsed(90, "endif (8|M0) 16");
    bad.pred = EU_PRED_NORMAL;
    check_case(RULE_predicate, 90, 0, &good, &bad);
    bad = parsed(90, "bfrev (8|M0) r2.0<1>:ud r4.0<8;8,1>:ud");
    bad.cond = EU_COND_Z;
    check_case(RULE_condition, 90, 0, &good, &bad);
    bad = parsed(90, "and (8|M0) r2.0<1>:ud r4.0<8;8,1>:ud r5.0<8;8,1>:ud");
    bad.saturate = true;
    check_case(RULE_saturate, 90, 0, &good, &bad);
    good = parsed(90, "add (8|M0) r2.0<1>:d r4.0<8;8,1>:d 5:d");
    bad = good;
    bad.src[1].negate = true;
    check_case(RULE_immediate_modifier, 90, 0, &good, &bad);
    good = parsed(90, "mad (16|M0) r2.0<1>:f r4.0<4;1>:f r6.0<4;1>:f r8.0<1>:f");
    bad = good;
    bad.cond = EU_COND_Z;
    bad.exec_size = 32;
    check_case(RULE_simd32_condition3, 90, 0, &good, &bad);
    good = bad = parsed(75, "mov (4|M0) r2.0<1>:df r4.0<4;4,1>:df");
    bad.dst.type = EU_Q;
    check_case(RULE_type_generation, 75, 0, &good, &bad);
    good = bad = parsed(90, "mov (4|M0) r2.0<1>:f r4.0<4;4,1>:f");
    bad.src[0].type = EU_VF; /* immediates only */
    check_case(RULE_type_generation, 90, 0, &good, &bad);
    good = bad = parsed(75, "add (8|M0) r2.0<1>:d r4.0<8;8,1>:d r5.0<8;8,1>:d");
    bad.op = EU_OP_smov;
    check_case(RULE_generation, 75, 0, &good, &bad);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct eu_insn good = parsed(cases[i].gen, cases[i].good);
        struct eu_insn bad = parsed(cases[i].gen, cases[i].bad);
        check_case(cases[i].rule, cases[i].gen, cases[i].quirks, &good, &bad);
        try_texts(cases[i].rule, cases[i].good, cases[i].bad);
    }
    check_built();
    for (int r = 0; r < N_RULES; r++) {
        for (unsigned part = 0; part < N_PARTS; part++)
            CHECKF(seen[r][part] || !applies(r, part), "no examples of rule %s on %s",
                   rules[r].name, parts[part].name);
    }
    return utest_end();
}
