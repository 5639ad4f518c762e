/* What only execution can tell: each rule by a program that keeps it and one that breaks it, on the
 * generations that have it. Rules of single instructions stand in utests/gen/eu_rules.c. */
#include "eu_rig.h"

static struct rig rig;

/* f0.0 is 0x00ff, r8 holds zeros, all 16 channels run. */
static const struct {
    const char *name;
    int first, last;
    const char *good, *bad;
    const char *says; /* a part of the fault's text */
} rules[] = {
    {"two registers written behind math POW", 80, 90,
     "math.pow (8|M0) r20.0<1>:f r8.0<8;8,1>:f r9.0<8;8,1>:f\n"
     "mov (8|M0) r24.0<1>:f r8.0<8;8,1>:f\n",
     "math.pow (8|M0) r20.0<1>:f r8.0<8;8,1>:f r9.0<8;8,1>:f\n"
     "mov (16|M0) r24.0<1>:f r8.0<8;8,1>:f\n",
     "POW or FDIV directly before"},
    {"two registers written behind math FDIV", 80, 90,
     "math.fdiv (8|M0) r20.0<1>:f r8.0<8;8,1>:f r9.0<8;8,1>:f\nnop\n"
     "mov (16|M0) r24.0<1>:f r8.0<8;8,1>:f\n",
     "math.fdiv (8|M0) r20.0<1>:f r8.0<8;8,1>:f r9.0<8;8,1>:f\n"
     "mov (16|M0) r24.0<1>:f r8.0<8;8,1>:f\n",
     "POW or FDIV directly before"},
    {"an end while channels wait", 70, 90,
     "(f0.0) if (16|M0) @x @x\nmov (16|M0) r20.0<1>:d 1:d\nx:\nendif (16|M0) 16\n",
     "(f0.0) if (16|M0) @x @x\n" RIG_EOT "\nx:\nendif (16|M0) 16\n", "wait elsewhere"},
    {"a carry in an indirect address", 70, 75,
     "(W) mov (1|M0) a0.0<1>:uw 0x13c:uw\nmov (1|M0) r20.0<1>:d r[a0.0,32]<0;1,0>:d\n",
     "(W) mov (1|M0) a0.0<1>:uw 0x13c:uw\nmov (1|M0) r20.0<1>:d r[a0.0,4]<0;1,0>:d\n",
     "a carry out of the low 5 bits"},
    {"an indirect source outside of the registers", 70, 90,
     "(W) mov (1|M0) a0.0<1>:uw 0xfe0:uw\nmov (8|M0) r20.0<1>:d r[a0.0]<8;8,1>:d\n",
     "(W) mov (1|M0) a0.0<1>:uw 0xff0:uw\nmov (8|M0) r20.0<1>:d r[a0.0]<4;4,1>:d\n",
     "outside of the register file"},
    {"an indirect destination outside of the registers", 70, 90,
     "(W) mov (1|M0) a0.0<1>:uw 0xfe0:uw\nmov (8|M0) r[a0.0]<1>:d 1:d\n",
     "(W) mov (1|M0) a0.0<1>:uw 0x1000:uw\nmov (8|M0) r[a0.0]<1>:d 1:d\n",
     "outside of the register file"},
    {"a return without a call", 70, 90,
     "(W) jmpi (1|M0) @main\nsub:\nmov (16|M0) r20.0<1>:d 1:d\nret (16|M0) r60.0<2;2,1>:d\n"
     "main:\ncall (16|M0) r60.0<1>:d @sub {Switch}\nmov (16|M0) r22.0<1>:d 1:d {Switch}\n",
     "ret (16|M0) r60.0<2;2,1>:d\n", "but the call was made by"},
    {"a remainder behind r127", 70, 90,
     "math.iqot (8|M0) r127.0<1>:d r8.0<8;8,1>:d r9.0<8;8,1>:d\n",
     "math.idiv (8|M0) r127.0<1>:d r8.0<8;8,1>:d r9.0<8;8,1>:d\n", "no register for the remainder"},
    {"a register that this generation lacks", 70, 75, "mov (1|M0) r20.0<1>:uw a0.7<0;1,0>:uw\n",
     "mov (1|M0) r20.0<1>:uw a0.8<0;1,0>:uw\n", "does not exist"},
    {"the timestamp is not written, the pause behind it is", 80, 90,
     "(W) mov (1|M0) tm0.4<1>:ud 0x3e0:ud {Switch}\nmov (8|M0) r20.0<1>:d 1:d\n",
     "(W) mov (1|M0) tm0.0<1>:ud 0x3e0:ud {Switch}\n", "can't be written"},
    {"no pause before Gen8", 70, 75, "mov (1|M0) r20.0<1>:ud tm0.3<0;1,0>:ud\n",
     "(W) mov (1|M0) tm0.4<1>:ud 0x3e0:ud {Switch}\n", "does not exist"},
    {"a chain of parts of one register", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (2|M0) r20.4<1>:d r8.0<2;2,1>:d {NoDDClr,NoDDChk}\n"
     "(W) mov (2|M0) r20.6<1>:d r8.0<2;2,1>:d {NoDDChk}\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (2|M0) r20.4<1>:d r8.0<2;2,1>:d\n"
     "(W) mov (2|M0) r20.6<1>:d r8.0<2;2,1>:d {NoDDChk}\n",
     "written without NoDDChk"},
    {"a chain between whose parts others stand", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r22.0<1>:d r8.0<4;4,1>:d {NoDDClr}\nnop\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n"
     "(W) mov (4|M0) r22.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r22.0<1>:d r8.0<4;4,1>:d\n"
     "mov (1|M0) r20.1<1>:d r8.0<0;1,0>:d\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "written without NoDDChk"},
    {"a chain that goes on after the end of another", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (2|M0) r20.4<1>:d r8.0<2;2,1>:d {NoDDChk}\n"
     "(W) mov (2|M0) r20.6<1>:d r8.0<2;2,1>:d {NoDDChk}\n",
     "NoDDChk on r20 without NoDDClr"},
    {"a chain that starts twice", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (2|M0) r20.4<1>:d r8.0<2;2,1>:d {NoDDClr,NoDDChk}\n"
     "(W) mov (2|M0) r20.6<1>:d r8.0<2;2,1>:d {NoDDChk}\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (2|M0) r20.4<1>:d r8.0<2;2,1>:d {NoDDClr}\n"
     "(W) mov (2|M0) r20.6<1>:d r8.0<2;2,1>:d {NoDDChk}\n",
     "written without NoDDChk"},
    {"a chain whose register is read", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n"
     "mov (1|M0) r22.0<1>:d r20.0<0;1,0>:d\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "mov (8|M0) r22.0<1>:d r19.4<4;4,1>:d\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "register read between"},
    {"a chain that reads what it writes", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r20.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r20.4<4;4,1>:d {NoDDChk}\n",
     "register read between"},
    {"a chain whose register may be read by address", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n"
     "mov (1|M0) r22.0<1>:d r[a0.0]<0;1,0>:d\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "mov (1|M0) r22.0<1>:d r[a0.0]<0;1,0>:d\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "indirect operand between"},
    {"parts of a chain may overlap", 70, 90,
     "(W) mov (8|M0) r20.0<1>:d 0:d {NoDDClr}\n"
     "(W) mov (1|M0) r20.2<1>:d r8.0<0;1,0>:d {NoDDChk}\n",
     "(W) mov (8|M0) r20.0<1>:d 0:d {NoDDClr}\n"
     "(W) mov (1|M0) r20.2<1>:d r8.0<0;1,0>:d\n",
     "written without NoDDChk"},
    {"a chain is of the same registers", 70, 90,
     "(W) mov (16|M0) r20.0<2>:w 1:w {NoDDClr}\n(W) mov (16|M0) r20.1<2>:w 1:w {NoDDChk}\n",
     "(W) mov (16|M0) r20.0<2>:w 1:w {NoDDClr}\n(W) mov (8|M0) r20.1<2>:w 1:w {NoDDChk}\n",
     "different registers"},
    {"a chain of channels of Align16", 70, 90,
     "(W) mov (8|M0) r20.0<1>.xy:f r8.0<4>.xyzw:f {Align16,NoDDClr}\n"
     "(W) mov (8|M0) r20.0<1>.zw:f r8.0<4>.xyzw:f {Align16,NoDDChk}\n",
     "(W) mov (8|M0) r20.0<1>.xy:f r8.0<4>.xyzw:f {Align16,NoDDClr}\n"
     "(W) mov (8|M0) r20.0<1>.zw:f r8.0<4>.xyzw:f {Align16}\n",
     "written without NoDDChk"},
    {"a chain without control flow", 70, 90,
     "(f0.0) if (16|M0) @x @x\n"
     "mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\nx:\nendif (16|M0) 16\n",
     "(f0.0) if (16|M0) @x @x\n"
     "mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\nx:\nendif (16|M0) 16\n"
     "mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "branch, wait or send between"},
    {"a chain entered at its beginning", 70, 90,
     "(W) jmpi (1|M0) @x\nx:\n"
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "(W) jmpi (1|M0) @x\n"
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\nx:\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "NoDDChk on r20 without NoDDClr"},
    {"a chain ends", 70, 90,
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\n",
     "(W) mov (4|M0) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "(W) mov (4|M0) r20.4<1>:d r8.0<4;4,1>:d {NoDDClr,NoDDChk}\n",
     "branch, wait or send between"},
    {"a chain's last part executes", 70, 90,
     "(f0.0) if (16|M0) @x @x\n"
     "mov (4|M8) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "mov (4|M4) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\nx:\nendif (16|M0) 16\n",
     "(f0.0) if (16|M0) @x @x\n"
     "mov (4|M4) r20.0<1>:d r8.0<4;4,1>:d {NoDDClr}\n"
     "mov (4|M8) r20.4<1>:d r8.0<4;4,1>:d {NoDDChk}\nx:\nendif (16|M0) 16\n",
     "executes in no channel"},
    {"code behind the kernel's end", 70, 90, "mov (8|M0) r20.0<1>:d 1:d\n",
     "(W) jmpi (1|M0) 65536\n", ""},
    {"every rule of single instructions", 70, 90, "mov (8|M0) r20.0<1>:d r8.0<8;8,1>:d\n",
     "mov (16|M0) r127.0<1>:d r8.0<8;8,1>:d\n", "r127"},
};

static bool run(const char *program, enum eu_mode mode)
{
    rig_program(&rig, program);
    memset(rig.code + rig.code_size, 0, 128);
    rig_reset(&rig, 0xffff);
    rig.t.f[0] = 0xff;
    return rig_run(&rig, mode);
}

/* Haswell looks for the group's part of the shared local memory where sr0.1 says. */
static void haswell_local_memory(void)
{
    static uint8_t local[4096];
    static const char *const program = "shr (1|M0) sr0.1<1>:ud r0.0<0;1,0>:ud 0x10:ud {Switch}\n"
                                       "send (8|M0) r20 r8 0xC 0x02106EFE\n";
    rig.g.slm = local;
    rig.g.slm_index = 5;
    rig.d.slm_size = sizeof local;
    rig.quiet = true;
    REQUIRE(msg_dispatch_begin(&rig.d));
    for (unsigned set = 0; set < 2; set++) {
        rig_program(&rig, set ? program : strchr(program, '\n') + 1);
        rig_reset(&rig, 0xff);
        uint32_t r0 = 5 << 24;
        rig_set(&rig, 0, &r0, 4);
        bool ended = rig_run(&rig, EU_MODE_FAST);
        CHECKF(ended == set, "sr0.1 %s: %s", set ? "set" : "not set", rig.fault.text);
        CHECK(set || strstr(rig.fault.text, "sr0.1"));
    }
    msg_dispatch_end(&rig.d);
    rig.quiet = false;
}

int main(void)
{
    static const char *const devices[] = {"ivb", "byt", "hsw", "bdw", "chv", "skl", "glk"};
    static const enum eu_mode modes[] = {EU_MODE_FAST, EU_MODE_GENERAL};
    for (unsigned d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        rig_init(&rig, devices[d]);
        for (unsigned k = 0; k < 2 * sizeof rules / sizeof rules[0]; k++) {
            const char *name = rules[k / 2].name;
            if (rig.gen < rules[k / 2].first || rig.gen > rules[k / 2].last)
                continue;
            CHECKF(run(rules[k / 2].good, modes[k % 2]), "%s, %s: %s", devices[d], name,
                   rig.fault.text);
            rig.quiet = true;
            bool ended = run(rules[k / 2].bad, modes[k % 2]);
            rig.quiet = false;
            CHECKF(!ended && rig.fault.set && strstr(rig.fault.text, rules[k / 2].says),
                   "%s, %s: %s", devices[d], name, rig.fault.set ? rig.fault.text : "no fault");
        }
        if (rig.gen == 75)
            haswell_local_memory();
        rig_fini(&rig);
    }
    return utest_end();
}
