/* The command table: no two fields of a packet overlap, every field of every generation can be set
 * and read alone, and batches and states of other drivers decode to what those drivers meant. */
#include "utest.h"

#include "gen/cmd.h"

static const int gens[] = {70, 75, 80, 90};

static void test_shape(int gen)
{
    for (unsigned id = 0; id < CMD_N; id++) {
        if (!cmd_exists(gen, id))
            continue;
        uint64_t used[64] = {0};
        unsigned n = cmd_length(gen, id);
        REQUIRE(n >= 1 && n <= 20);
        for (unsigned f = 0; f < CMD_N_FIELDS; f++) {
            unsigned dw, hi, lo;
            if (cmd_field_packet(f) != id || !cmd_field_bits(gen, f, &dw, &hi, &lo))
                continue;
            /* the second half of an immediate qword lies past the usual length of the command */
            bool past = f == CMD_MI_STORE_DATA_IMM_immediate;
            CHECKF(hi >= lo && hi < 64 && dw + hi / 32 < n + past, "%s.%s gen %d", cmd_name(id),
                   cmd_field_name(f), gen);
            for (unsigned bit = lo; bit <= hi; bit++) {
                uint64_t m = 1ull << (bit % 32);
                CHECKF(!(used[dw + bit / 32] & m), "%s.%s overlaps, gen %d dword %u bit %u",
                       cmd_name(id), cmd_field_name(f), gen, dw, bit);
                used[dw + bit / 32] |= m;
            }
        }
    }
}

static void test_set_get(int gen)
{
    for (unsigned f = 0; f < CMD_N_FIELDS; f++) {
        enum cmd_id id = cmd_field_packet(f);
        unsigned dw, hi, lo;
        uint32_t p[24], q[24];
        if (!cmd_exists(gen, id)) {
            CHECKF(!cmd_has_field(gen, f), "%s.%s gen %d", cmd_name(id), cmd_field_name(f), gen);
            continue;
        }
        memset(p, 0, sizeof p);
        cmd_init(gen, id, p);
        memcpy(q, p, sizeof q);
        if (!cmd_field_bits(gen, f, &dw, &hi, &lo)) {
            CHECK(cmd_get(gen, p, f) == 0);
            continue;
        }
        uint64_t max = cmd_field_max(gen, f);
        cmd_set(gen, p, f, max);
        CHECKF(cmd_get(gen, p, f) == max, "%s.%s gen %d", cmd_name(id), cmd_field_name(f), gen);
        unsigned bits = 0;
        for (unsigned i = 0; i < 24; i++)
            bits += __builtin_popcount(p[i] ^ q[i]);
        CHECKF(bits == hi - lo + 1, "%s.%s gen %d: %u bits changed", cmd_name(id),
               cmd_field_name(f), gen, bits);
        unsigned where;
        CHECKF(!cmd_reserved(gen, id, p, 20, &where), "%s.%s", cmd_name(id), cmd_field_name(f));
        cmd_set(gen, p, f, 0);
        CHECK(!memcmp(p, q, sizeof p));
    }
}

/* A packet made by cmd_init is identified as itself, with its length. */
static void test_identify(int gen)
{
    for (unsigned id = 0; id < CMD_N; id++) {
        uint32_t p[24];
        unsigned length;
        const char *why = NULL;
        if (!cmd_exists(gen, id))
            continue;
        cmd_init(gen, id, p);
        if (p[0] == 0 && id != CMD_MI_NOOP) /* a state */
            continue;
        enum cmd_engine e = p[0] >> 29 == 2 ? CMD_BLIT : CMD_RENDER;
        int got = cmd_identify(gen, e, p, 24, &length, &why);
        CHECKF(got == (int)id && length == cmd_length(gen, id), "%s gen %d: %d (%s)", cmd_name(id),
               gen, got, why);
        CHECK(cmd_identify(gen, e, p, length - 1, &length, &why) == -1);
    }
}

static void test_refusals(void)
{
    static const struct {
        int gen;
        enum cmd_engine engine;
        uint32_t dw;
    } bad[] = {
        {90, CMD_RENDER, 0x20000000}, /* type 1 */
        {90, CMD_RENDER, 0xe0000000},
        {90, CMD_RENDER, 0x54c00008}, /* blitter command on the render ring */
        {90, CMD_BLIT, 0x7a000004},
        {70, CMD_RENDER, 0x0d000000}, /* MI_MATH before Haswell */
        {70, CMD_RENDER, 0x17000003}, /* MI_COPY_MEM_MEM before Broadwell */
        {90, CMD_RENDER, 0x71040006}, /* GPGPU_OBJECT after Haswell */
        {80, CMD_RENDER, 0x70090000},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t p[16] = {bad[i].dw};
        unsigned length;
        const char *why = NULL;
        CHECKF(cmd_identify(bad[i].gen, bad[i].engine, p, 16, &length, &why) == -1 && why, "%08x",
               bad[i].dw);
    }
}

/* Lengths that the header gives: (header, dwords). */
static void test_lengths(void)
{
    static const struct {
        int gen;
        uint32_t dw;
        unsigned length;
        enum cmd_id id;
    } good[] = {
        {90, 0x7a000003, 5, CMD_PIPE_CONTROL},         /* short form, on Gen9 */
        {70, 0x71050509, 11, CMD_GPGPU_WALKER},        /* flags in bits 8 and 10 are no length */
        {90, 0x11000005, 7, CMD_MI_LOAD_REGISTER_IMM}, /* three registers */
        {80, 0x10200003, 5, CMD_MI_STORE_DATA_IMM},    /* qword */
        {80, 0x10000123, 0x125, CMD_MI_STORE_DATA_IMM},
        {75, 0x7917010f, 0x111, CMD_UNKNOWN_3D}, /* SO_DECL_LIST: nine bits */
        {75, 0x780e0000, 2, CMD_3DSTATE_CC_STATE_POINTERS},
        {75, 0x79050000, 2, CMD_UNKNOWN_3D},
        {90, 0x680b0001, 1, CMD_UNKNOWN_3D},
    };
    uint32_t p[0x200] = {0};
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        unsigned length = 0;
        const char *why = NULL;
        p[0] = good[i].dw;
        int id = cmd_identify(good[i].gen, CMD_RENDER, p, 0x200, &length, &why);
        CHECKF(id == (int)good[i].id && length == good[i].length, "%08x: %d, %u (%s)", p[0], id,
               length, why);
    }
}

struct golden {
    int gen;
    enum cmd_id id;
    unsigned n;
    uint32_t dw[20];
};
static const struct golden golden[] = {
#define GOLDEN(gen, name, ...)                                                                     \
    {gen, CMD_##name, sizeof((uint32_t[]){__VA_ARGS__}) / 4, {__VA_ARGS__}},
#include "cmd_golden.def"
#undef GOLDEN
};

static void test_golden(void)
{
    unsigned n[100] = {0};
    for (unsigned i = 0; i < sizeof golden / sizeof *golden; i++) {
        const struct golden *g = &golden[i];
        unsigned length = 0, where;
        const char *why = NULL;
        char text[4096];
        int id = cmd_identify(g->gen, CMD_RENDER, g->dw, 20, &length, &why);
        CHECKF(id == (int)g->id && length == g->n, "row %u: %08x gives %d, %u (%s)", i, g->dw[0],
               id, length, why);
        if (g->id != CMD_UNKNOWN_3D)
            CHECKF(!cmd_reserved(g->gen, g->id, g->dw, g->n, &where), "row %u dword %u", i, where);
        CHECK(cmd_print(g->gen, g->id, g->dw, g->n, text, sizeof text) < (int)sizeof text);
        CHECK(strstr(text, cmd_name(g->id)) == text);
        n[g->gen]++;
    }
    CHECK(n[90] == 79 && n[80] == 59 && n[70] == 26 && n[75] == 25);
}

/* The k-th packet of this kind in a golden batch. */
static const uint32_t *nth(int gen, enum cmd_id id, unsigned k)
{
    for (unsigned i = 0; i < sizeof golden / sizeof *golden; i++) {
        if (golden[i].gen == gen && golden[i].id == id && k-- == 0)
            return golden[i].dw;
    }
    REQUIRE(!"no such packet");
    return NULL;
}

#define FIELD(gen, dw, f, value)                                                                   \
    CHECKF(cmd_get(gen, dw, CMD_##f) == (value), #f " is %llx",                                    \
           (unsigned long long)cmd_get(gen, dw, CMD_##f))

/* Fields of the batches, as their writers are known to have meant them. */
static void test_golden_fields(void)
{
    const uint32_t *p = nth(90, CMD_GPGPU_WALKER, 0);
    FIELD(90, p, GPGPU_WALKER_indirect_length, 0x200);
    FIELD(90, p, GPGPU_WALKER_indirect_address, 0xfffda000);
    FIELD(90, p, GPGPU_WALKER_simd, 2);
    FIELD(90, p, GPGPU_WALKER_thread_width_max, 1);
    FIELD(90, p, GPGPU_WALKER_start_x, 0);
    FIELD(90, p, GPGPU_WALKER_end_x, 16);
    FIELD(90, p, GPGPU_WALKER_end_y, 1);
    FIELD(90, p, GPGPU_WALKER_end_z, 1);
    FIELD(90, p, GPGPU_WALKER_right_mask, 0xffffffff);
    FIELD(90, p, GPGPU_WALKER_bottom_mask, 0xffffffff);
    p = nth(90, CMD_GPGPU_WALKER, 3);
    FIELD(90, p, GPGPU_WALKER_end_x, 3);
    FIELD(90, p, GPGPU_WALKER_end_y, 14);
    FIELD(90, p, GPGPU_WALKER_thread_width_max, 3);

    p = nth(90, CMD_STATE_BASE_ADDRESS, 0);
    FIELD(90, p, STATE_BASE_ADDRESS_general_modify, 1);
    FIELD(90, p, STATE_BASE_ADDRESS_general_base, 0);
    FIELD(90, p, STATE_BASE_ADDRESS_stateless_mocs, 6);
    FIELD(90, p, STATE_BASE_ADDRESS_surface_base, 0x55f56bbe9000);
    FIELD(90, p, STATE_BASE_ADDRESS_dynamic_base, 0x55f56c489000);
    FIELD(90, p, STATE_BASE_ADDRESS_indirect_base, 0xffff800100000000);
    FIELD(90, p, STATE_BASE_ADDRESS_instruction_base, 0x800100000000);
    FIELD(90, p, STATE_BASE_ADDRESS_instruction_mocs, 6);
    FIELD(90, p, STATE_BASE_ADDRESS_general_size, 0xfffff000);
    FIELD(90, p, STATE_BASE_ADDRESS_dynamic_size, 0x10000);
    FIELD(90, p, STATE_BASE_ADDRESS_bindless_base, 0x55f56bbe9000);
    FIELD(90, p, STATE_BASE_ADDRESS_bindless_count, 0x3bf);
    p = nth(90, CMD_STATE_BASE_ADDRESS, 1);
    FIELD(90, p, STATE_BASE_ADDRESS_general_base, 0x7fb8c246f000);

    p = nth(90, CMD_MEDIA_VFE_STATE, 0);
    FIELD(90, p, MEDIA_VFE_STATE_max_threads, 167);
    FIELD(90, p, MEDIA_VFE_STATE_urb_entries, 1);
    FIELD(90, p, MEDIA_VFE_STATE_urb_entry_size, 0x782);
    p = nth(90, CMD_MEDIA_VFE_STATE, 1);
    FIELD(90, p, MEDIA_VFE_STATE_scratch_base, 0x1000);
    FIELD(90, p, MEDIA_VFE_STATE_scratch_size, 6);
    FIELD(90, p, MEDIA_VFE_STATE_stack_size, 6);
    FIELD(90, nth(90, CMD_STATE_SIP, 0), STATE_SIP_pointer, 0xfffee000);
    FIELD(90, nth(90, CMD_GPGPU_CSR_BASE_ADDRESS, 0), GPGPU_CSR_BASE_ADDRESS_address,
          0x7fb8d5ff0000);
    FIELD(90, nth(90, CMD_PIPELINE_SELECT, 0), PIPELINE_SELECT_pipeline, CMD_PIPELINE_GPGPU);
    FIELD(90, nth(90, CMD_PIPELINE_SELECT, 0), PIPELINE_SELECT_mask, 0x13);
    FIELD(90, nth(90, CMD_PIPELINE_SELECT, 0), PIPELINE_SELECT_dop_clock_gate, 1);
    p = nth(90, CMD_MI_BATCH_BUFFER_START, 0);
    FIELD(90, p, MI_BATCH_BUFFER_START_ppgtt, 1);
    FIELD(90, p, MI_BATCH_BUFFER_START_second_level, 0);
    FIELD(90, p, MI_BATCH_BUFFER_START_address, 0x55f56cb5f000);
    p = nth(90, CMD_MI_STORE_REGISTER_MEM, 0);
    FIELD(90, p, MI_STORE_REGISTER_MEM_register, REG_CONTEXT_TIME);
    FIELD(90, p, MI_STORE_REGISTER_MEM_address, 0x55f56c5bf008);
    p = nth(90, CMD_PIPE_CONTROL, 5); /* start timestamp */
    FIELD(90, p, PIPE_CONTROL_post_sync, CMD_POST_SYNC_TIMESTAMP);
    FIELD(90, p, PIPE_CONTROL_cs_stall, 1);
    FIELD(90, p, PIPE_CONTROL_address, 0x55f56c5bf000);
    p = nth(90, CMD_MI_LOAD_REGISTER_IMM, 1);
    FIELD(90, p, MI_LOAD_REGISTER_IMM_register, REG_L3CNTLREG);
    uint32_t l3 = cmd_get(90, p, CMD_MI_LOAD_REGISTER_IMM_data);
    FIELD(90, &l3, L3CNTLREG_slm_enable, 0);
    FIELD(90, &l3, L3CNTLREG_urb_allocation, 32);
    FIELD(90, &l3, L3CNTLREG_all_allocation, 64);
    p = nth(90, CMD_MEDIA_INTERFACE_DESCRIPTOR_LOAD, 1);
    FIELD(90, p, MEDIA_INTERFACE_DESCRIPTOR_LOAD_length, 32);
    FIELD(90, p, MEDIA_INTERFACE_DESCRIPTOR_LOAD_address, 0x40);

    p = nth(80, CMD_PIPE_CONTROL, 4);
    FIELD(80, p, PIPE_CONTROL_post_sync, CMD_POST_SYNC_TIMESTAMP);
    FIELD(80, nth(80, CMD_STATE_BASE_ADDRESS, 0), STATE_BASE_ADDRESS_stateless_mocs, 0x78);
    FIELD(80, nth(80, CMD_STATE_BASE_ADDRESS, 0), STATE_BASE_ADDRESS_surface_base, 0x55ea89637000);

    p = nth(70, CMD_STATE_BASE_ADDRESS, 0);
    FIELD(70, p, STATE_BASE_ADDRESS_general_mocs, 1);
    FIELD(70, p, STATE_BASE_ADDRESS_stateless_mocs, 1);
    FIELD(70, p, STATE_BASE_ADDRESS_surface_base, 0x1b000);
    FIELD(70, p, STATE_BASE_ADDRESS_dynamic_base, 0x92000);
    FIELD(70, p, STATE_BASE_ADDRESS_dynamic_bound, 0xfffff000);
    FIELD(70, p, STATE_BASE_ADDRESS_indirect_bound_modify, 0);
    p = nth(70, CMD_MEDIA_VFE_STATE, 0);
    FIELD(70, p, MEDIA_VFE_STATE_max_threads, 127);
    FIELD(70, p, MEDIA_VFE_STATE_gpgpu_mode, 1);
    FIELD(70, p, MEDIA_VFE_STATE_bypass_gateway, 1);
    FIELD(70, p, MEDIA_VFE_STATE_curbe_size, 16);
    p = nth(70, CMD_GPGPU_WALKER, 0);
    FIELD(70, p, GPGPU_WALKER_simd, 1);
    FIELD(70, p, GPGPU_WALKER_thread_width_max, 7);
    FIELD(70, p, GPGPU_WALKER_end_x, 2);
    FIELD(70, p, GPGPU_WALKER_right_mask, 0xffff);
    p = nth(70, CMD_MEDIA_CURBE_LOAD, 0);
    FIELD(70, p, MEDIA_CURBE_LOAD_length, 0x200);
    FIELD(70, p, MEDIA_CURBE_LOAD_address, 0x4020);
    l3 = cmd_get(70, nth(70, CMD_MI_LOAD_REGISTER_IMM, 1), CMD_MI_LOAD_REGISTER_IMM_data);
    FIELD(70, &l3, L3CNTLREG2_slm_enable, 1);
    FIELD(70, &l3, L3CNTLREG2_urb_allocation, 16);
    FIELD(70, &l3, L3CNTLREG2_urb_low_bandwidth, 1);
    FIELD(70, &l3, L3CNTLREG2_ro_allocation, 16);
    FIELD(70, &l3, L3CNTLREG2_dc_allocation, 16);
    p = nth(75, CMD_GPGPU_WALKER, 1);
    FIELD(75, p, GPGPU_WALKER_predicate, 1);
    FIELD(75, p, GPGPU_WALKER_indirect_parameter, 1);
    p = nth(75, CMD_MI_PREDICATE, 1);
    FIELD(75, p, MI_PREDICATE_compare, 2);
    FIELD(75, p, MI_PREDICATE_combine, 2);
    FIELD(75, p, MI_PREDICATE_load, 2);
}

/* States that the same drivers left in memory. */
static void test_golden_states(void)
{
    static const uint32_t idd9[8] = {0xfffee000, 0, 0x80000, 0x144, 0x2c2, 0x60000, 0x210002, 3};
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_kernel, 0xfffee000);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_denorm_mode, 1);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_sampler_state, 0x140);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_sampler_count, 1);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_binding_table, 0x2c0);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_binding_table_count, 2);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_curbe_read_length, 6);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_n_threads, 2);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_slm_size, 1);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_barrier, 1);
    FIELD(90, idd9, INTERFACE_DESCRIPTOR_cross_thread_length, 3);
    static const uint32_t idd7[8] = {0, 0, 0, 4, 0x20000, 0x210008, 0, 0};
    FIELD(70, idd7, INTERFACE_DESCRIPTOR_binding_table_count, 4);
    FIELD(70, idd7, INTERFACE_DESCRIPTOR_curbe_read_length, 2);
    FIELD(70, idd7, INTERFACE_DESCRIPTOR_n_threads, 8);
    FIELD(70, idd7, INTERFACE_DESCRIPTOR_slm_size, 1);
    FIELD(70, idd7, INTERFACE_DESCRIPTOR_barrier, 1);

    static const uint32_t buffer9[16] = {0x87fd4000, 0x6000000, 0x1ff007f, 0,          0,
                                         0x4000,     0,         0,         0x6bde0000, 0x000055f5};
    FIELD(90, buffer9, SURFACE_STATE_type, CMD_SURFACE_BUFFER);
    FIELD(90, buffer9, SURFACE_STATE_format, CMD_FORMAT_RAW);
    FIELD(90, buffer9, SURFACE_STATE_mocs, 6);
    FIELD(90, buffer9, SURFACE_STATE_coherent, 1);
    FIELD(90, buffer9, SURFACE_STATE_address, 0x55f56bde0000);
    CHECK(cmd_get_buffer_elements(90, buffer9) == 65536);
    static const uint32_t image8[16] = {0x231d7000, 0x79000000, 0x3b0063,  0x1ff,      0,
                                        0,          0,          0x9770000, 0x89389000, 0x55ea};
    FIELD(80, image8, SURFACE_STATE_type, CMD_SURFACE_2D);
    FIELD(80, image8, SURFACE_STATE_format, 0xc7);
    FIELD(80, image8, SURFACE_STATE_tile_mode, CMD_TILE_Y);
    FIELD(80, image8, SURFACE_STATE_width, 99);
    FIELD(80, image8, SURFACE_STATE_height, 59);
    FIELD(80, image8, SURFACE_STATE_pitch, 511);
    FIELD(80, image8, SURFACE_STATE_mocs, 0x79);
    FIELD(80, image8, SURFACE_STATE_halign, 1);
    FIELD(80, image8, SURFACE_STATE_select_red, CMD_SELECT_R);
    FIELD(80, image8, SURFACE_STATE_select_alpha, CMD_SELECT_A);
    static const uint32_t buffer7[8] = {0x87fd0000, 0x11000, 0x1ff007f, 0, 0, 0x10000};
    FIELD(70, buffer7, SURFACE_STATE_type, CMD_SURFACE_BUFFER);
    FIELD(70, buffer7, SURFACE_STATE_format, CMD_FORMAT_RAW);
    FIELD(70, buffer7, SURFACE_STATE_mocs, 1);
    FIELD(70, buffer7, SURFACE_STATE_address, 0x11000);
    CHECK(cmd_get_buffer_elements(70, buffer7) == 65536);
    static const uint32_t volume7[8] = {0x4000643f, 0, 0x7000f, 0x6000ff, 0x180, 0x10000};
    FIELD(75, volume7, SURFACE_STATE_type, CMD_SURFACE_3D);
    FIELD(75, volume7, SURFACE_STATE_tiled_surface, 1);
    FIELD(75, volume7, SURFACE_STATE_tile_walk, 1);
    FIELD(75, volume7, SURFACE_STATE_depth, 3);
    FIELD(75, volume7, SURFACE_STATE_view_extent, 3);

    static const uint32_t sampler9[4] = {0x10124000, 0xe0001, 0x100, 0x7fd24};
    FIELD(90, sampler9, SAMPLER_STATE_min_filter, 1);
    FIELD(90, sampler9, SAMPLER_STATE_mag_filter, 1);
    FIELD(90, sampler9, SAMPLER_STATE_mip_filter, 1);
    FIELD(90, sampler9, SAMPLER_STATE_max_lod, 0xe00);
    FIELD(90, sampler9, SAMPLER_STATE_border_color, 0x100);
    FIELD(90, sampler9, SAMPLER_STATE_wrap_x, 4);
    FIELD(90, sampler9, SAMPLER_STATE_wrap_z, 4);
    FIELD(90, sampler9, SAMPLER_STATE_non_normalized, 1);
    FIELD(90, sampler9, SAMPLER_STATE_round_u_mag, 1);
}

static void test_buffers(int gen)
{
    static const uint64_t sizes[] = {1,    4,       127,           128,     129,
                                     4096, 1 << 21, (1 << 21) + 1, 1 << 30, 1u << 31};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t s[16];
        cmd_init(gen, CMD_SURFACE_STATE, s);
        cmd_set_buffer_elements(gen, s, sizes[i]);
        CHECK(cmd_get_buffer_elements(gen, s) == sizes[i]);
    }
}

static void test_codes(void)
{
    CHECK(cmd_slm_code(70, 0) == 0 && cmd_slm_code(70, 1) == 1 && cmd_slm_code(80, 4097) == 2);
    CHECK(cmd_slm_code(75, 65536) == 16 && cmd_slm_code(80, 65537) == -1);
    CHECK(cmd_slm_code(90, 1) == 1 && cmd_slm_code(90, 1025) == 2 && cmd_slm_code(90, 4096) == 3);
    CHECK(cmd_slm_code(90, 65536) == 7 && cmd_slm_code(90, 65537) == -1);
    CHECK(cmd_slm_bytes(80, 3) == -1 && cmd_slm_bytes(90, 7) == 65536 &&
          cmd_slm_bytes(90, 8) == -1);
    CHECK(cmd_scratch_code(70, 2048) == 1 && cmd_scratch_code(70, 12288) == 11);
    CHECK(cmd_scratch_code(70, 12289) == -1);
    CHECK(cmd_scratch_code(75, 1) == 0 && cmd_scratch_code(75, 16384) == 3);
    CHECK(cmd_scratch_code(90, 51200) == 6 && cmd_scratch_code(80, 2 << 20) == 11);
    CHECK(cmd_scratch_bytes(75, 11) == -1);
}

/* Any bytes: nothing past the end is read (the array is as long as it says), and the text fits its
 * length. */
static void test_random(int gen)
{
    uint64_t x = 88172645463325252ull + (unsigned)gen;
    for (unsigned i = 0; i < 100000; i++) {
        unsigned n = 1 + i % 24, length;
        uint32_t *p = malloc(n * sizeof *p);
        for (unsigned k = 0; k < n; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            p[k] = (uint32_t)(x >> 16);
        }
        if (i % 2) { /* a header of the table, with random low bits */
            uint32_t h[24];
            enum cmd_id id = p[0] % CMD_N;
            if (cmd_exists(gen, id)) {
                cmd_init(gen, id, h);
                p[0] = h[0] ^ (p[0] & (i % 4 == 1 ? 0x1f : 0));
            }
        }
        enum cmd_engine e = i % 3 ? CMD_RENDER : CMD_BLIT;
        const char *why = NULL;
        int id = cmd_identify(gen, e, p, n, &length, &why);
        CHECK(id >= 0 ? length >= 1 && length <= n : why != NULL);
        if (id >= 0) {
            char text[64], more[8192];
            int need = cmd_print(gen, id, p, length, NULL, 0);
            CHECK(cmd_print(gen, id, p, length, text, sizeof text) == need);
            CHECK(cmd_print(gen, id, p, length, more, sizeof more) == need);
            CHECK((int)strlen(more) == need && !strncmp(text, more, sizeof text - 1));
        }
        free(p);
    }
}

int main(void)
{
    for (unsigned i = 0; i < 4; i++) {
        test_random(gens[i]);
        test_shape(gens[i]);
        test_set_get(gens[i]);
        test_identify(gens[i]);
        test_buffers(gens[i]);
    }
    test_refusals();
    test_lengths();
    test_golden();
    test_golden_fields();
    test_golden_states();
    test_codes();
    return utest_end();
}
