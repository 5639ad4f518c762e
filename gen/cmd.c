/* Packets: setting, getting, finding their boundaries. All from the rows of cmd.def; what is coded
 * here is only what the command stream's grammar says (PRM volume 2a, "Command Header Format") and
 * the codes whose meaning is arithmetic. Constant data only. */
#include "gen/cmd_place.h"

enum kind { MI, RENDER, BLIT, STATE }; /* of packets */

static const struct {
    const char *name;
    uint8_t kind;
} packets[] = {
#define CMD(name, kind, ...) {#name, kind},
#define CMD_FIELD(...)
#include "gen/cmd.def"
#undef CMD
#undef CMD_FIELD
};

static const struct {
    const char *name;
    uint16_t packet;
} fields[] = {
#define CMD(...)
#define CMD_FIELD(packet, field, ...) {#field, CMD_##packet},
#include "gen/cmd.def"
#undef CMD
#undef CMD_FIELD
};

const char *cmd_name(enum cmd_id id)
{
    return packets[id].name;
}

bool cmd_exists(int gen, enum cmd_id id)
{
    return cmd_headers[id][cmd_column(gen)].length != 0;
}

bool cmd_has_field(int gen, enum cmd_field f)
{
    return cmd_places[f].place[cmd_column(gen)].present;
}

unsigned cmd_length(int gen, enum cmd_id id)
{
    return cmd_headers[id][cmd_column(gen)].length;
}

enum cmd_id cmd_field_packet(enum cmd_field f)
{
    return fields[f].packet;
}

const char *cmd_field_name(enum cmd_field f)
{
    return fields[f].name;
}

bool cmd_field_bits(int gen, enum cmd_field f, unsigned *dw, unsigned *hi, unsigned *lo)
{
    const struct cmd_place *p = &cmd_places[f].place[cmd_column(gen)];
    if (!p->present)
        return false;
    *dw = p->dw;
    *hi = p->hi;
    *lo = p->lo;
    return true;
}

uint64_t cmd_field_max(int gen, enum cmd_field f)
{
    const struct cmd_place *p = &cmd_places[f].place[cmd_column(gen)];
    if (!p->present)
        return 0;
    uint64_t max = cmd_ones(p->hi - p->lo + 1);
    return cmd_places[f].kind == CMD_KIND_BYTES ? max << p->lo : max;
}

void cmd_init(int gen, enum cmd_id id, uint32_t *dw)
{
    cmd_start(gen, id, dw);
}

void cmd_set(int gen, uint32_t *dw, enum cmd_field f, uint64_t value)
{
    cmd_put(gen, dw, f, value);
}

uint64_t cmd_get(int gen, const uint32_t *dw, enum cmd_field f)
{
    const struct cmd_place *p = &cmd_places[f].place[cmd_column(gen)];
    if (!p->present)
        return 0;
    uint64_t value = dw[p->dw];
    if (p->hi >= 32)
        value |= (uint64_t)dw[p->dw + 1] << 32;
    value = (value >> p->lo) & cmd_ones(p->hi - p->lo + 1);
    return cmd_places[f].kind == CMD_KIND_BYTES ? value << p->lo : value;
}

/* Bits of the first dword that say which packet it is. */
static uint32_t opcode_mask(unsigned kind)
{
    switch ((enum kind)kind) {
    case MI:
        return 0xff800000;
    case RENDER:
        return 0xffff0000;
    case BLIT:
        return 0xffc00000;
    case STATE:
        break;
    }
    return 0;
}

bool cmd_reserved(int gen, enum cmd_id id, const uint32_t *dw, unsigned length, unsigned *where)
{
    enum { MAX_FIXED = 32 }; /* dwords of the longest packet with named fields */
    const struct cmd_header *h = &cmd_headers[id][cmd_column(gen)];
    uint32_t known[MAX_FIXED] = {opcode_mask(packets[id].kind) | h->mask | h->value};
    bool found = false;
    /* A packet's fields stand together. */
    for (unsigned f = 0; f < CMD_N_FIELDS && !(found && fields[f].packet != id); f++) {
        const struct cmd_place *p = &cmd_places[f].place[cmd_column(gen)];
        if (fields[f].packet != id)
            continue;
        found = true;
        if (!p->present)
            continue;
        uint64_t bits = cmd_ones(p->hi - p->lo + 1) << p->lo;
        known[p->dw] |= (uint32_t)bits;
        if (bits >> 32)
            known[p->dw + 1] |= (uint32_t)(bits >> 32);
    }
    for (unsigned i = 0; i < length; i++) {
        if (dw[i] & ~(i < MAX_FIXED ? known[i] : 0)) {
            *where = i;
            return true;
        }
    }
    return false;
}

static int find_packet(int gen, unsigned kind, uint32_t dw0)
{
    for (unsigned i = 0; i < CMD_N; i++) {
        const struct cmd_header *h = &cmd_headers[i][cmd_column(gen)];
        if (packets[i].kind == kind && h->length && i != CMD_UNKNOWN_3D &&
            ((h->value ^ dw0) & opcode_mask(kind)) == 0)
            return i;
    }
    return -1;
}

/* Length fields of 3D commands that are wider than 8 bits, or absent. */
static unsigned length_3d(uint32_t dw0)
{
    unsigned op = dw0 >> 16;
    if (op == 0x7917 || (op >= 0x7843 && op <= 0x7847)) /* SO_DECL_LIST, BINDING_TABLE_EDIT_* */
        return (dw0 & 0x1ff) + 2;
    if (op == 0x7839 || op == 0x783a) /* DX9_CONSTANTF_* */
        return (dw0 & 0x7ff) + 2;
    if (op == 0x680b) /* VF_STATISTICS */
        return 1;
    return (dw0 & 0xff) + 2;
}

int cmd_identify(int gen, enum cmd_engine engine, const uint32_t *dw, size_t avail,
                 unsigned *length, const char **why)
{
    if (avail == 0) {
        *why = "no command: the batch ends without MI_BATCH_BUFFER_END";
        return -1;
    }
    unsigned kind;
    switch (dw[0] >> 29) {
    case 0:
        kind = MI;
        break;
    case 2:
        kind = BLIT;
        if (engine != CMD_BLIT) {
            *why = "blitter command on another engine";
            return -1;
        }
        break;
    case 3:
        kind = RENDER;
        if (engine != CMD_RENDER) {
            *why = "render command on another engine";
            return -1;
        }
        break;
    default:
        *why = "no such command type";
        return -1;
    }
    int id = find_packet(gen, kind, dw[0]);
    unsigned n;
    if (id >= 0) {
        const struct cmd_header *h = &cmd_headers[id][cmd_column(gen)];
        n = h->mask ? (dw[0] & h->mask) + 2 : h->length;
    } else if (dw[0] >> 25 == 0x78 >> 1 || dw[0] >> 16 == 0x680b) { /* 78xxh, 79xxh: 3DSTATE_* */
        id = CMD_UNKNOWN_3D;
        n = length_3d(dw[0]);
    } else {
        *why = "no such command on this generation";
        return -1;
    }
    if (n > avail) {
        *why = "command runs past the end of the batch";
        return -1;
    }
    *length = n;
    return id;
}

uint64_t cmd_buffer_elements_max(int gen)
{
    return gen >= 90 ? 1ull << 32 : 1ull << 31;
}

void cmd_set_buffer_elements(int gen, uint32_t *surface, uint64_t n)
{
    assert(n >= 1 && n <= cmd_buffer_elements_max(gen));
    n--;
    cmd_set(gen, surface, CMD_SURFACE_STATE_width, n & 0x7f);
    cmd_set(gen, surface, CMD_SURFACE_STATE_height, n >> 7 & 0x3fff);
    cmd_set(gen, surface, CMD_SURFACE_STATE_depth, n >> 21);
}

uint64_t cmd_get_buffer_elements(int gen, const uint32_t *surface)
{
    uint64_t n = cmd_get(gen, surface, CMD_SURFACE_STATE_width) & 0x7f;
    n |= cmd_get(gen, surface, CMD_SURFACE_STATE_height) << 7;
    n |= (cmd_get(gen, surface, CMD_SURFACE_STATE_depth) & (gen >= 90 ? 0x7ff : 0x3ff)) << 21;
    return n + 1;
}

int64_t cmd_slm_bytes(int gen, unsigned code)
{
    if (code == 0)
        return 0;
    if (gen >= 90)
        return code <= 7 ? 512 << code : -1;
    /* in units of 4 KiB, a power of two */
    return code <= 16 && (code & (code - 1)) == 0 ? code * (int64_t)4096 : -1;
}

int cmd_slm_code(int gen, uint32_t bytes)
{
    for (int code = 0; code <= 16; code++) {
        if (cmd_slm_bytes(gen, code) >= (int64_t)bytes)
            return code;
    }
    return -1;
}

int64_t cmd_scratch_bytes(int gen, unsigned code)
{
    if (gen == 70)
        return code <= 11 ? (code + 1) * (int64_t)1024 : -1;
    if (gen == 75)
        return code <= 10 ? 2048 << code : -1;
    return code <= 11 ? 1024 << code : -1;
}

int cmd_scratch_code(int gen, uint32_t bytes)
{
    for (int code = 0; code <= 11; code++) {
        if (cmd_scratch_bytes(gen, code) >= (int64_t)bytes)
            return code;
    }
    return -1;
}
