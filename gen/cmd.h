/* Command and state packets, Gen7 to Gen9: one table (cmd.def) of packets and their fields, read by the
 * driver (setters), the simulated command streamer (getters) and the printer.
 *
 * CMD(name, ...) rows: packets with a header (MI, 3D/GPGPU, blitter) or none (states in memory), with
 * header value, length and length mask by generation. CMD_FIELD(packet, field, ...) rows: dword, hi, lo by
 * generation, or NONE. A field wider than its bits (64-bit addresses) spans two dwords. Address fields are
 * bytes: the getter returns the low bits as zeros, the setter asserts them.
 * Source: the PRMs, volume 2 (command reference). Layout only, no policy. */
#ifndef GEN_CMD_H
#define GEN_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cmd_id { /* CMD_MI_NOOP, CMD_MI_BATCH_BUFFER_START, CMD_GPGPU_WALKER, CMD_SURFACE_STATE, ... */
#define CMD(name, ...) CMD_##name,
#define CMD_FIELD(...)
#include "cmd.def"
#undef CMD
#undef CMD_FIELD
    CMD_N
};

enum cmd_field { /* CMD_GPGPU_WALKER_thread_width_max, ... : CMD_<packet>_<field> */
#define CMD(...)
#define CMD_FIELD(packet, field, ...) CMD_##packet##_##field,
#include "cmd.def"
#undef CMD
#undef CMD_FIELD
    CMD_N_FIELDS
};

const char *cmd_name(enum cmd_id id);
bool cmd_exists(int gen, enum cmd_id id);
bool cmd_has_field(int gen, enum cmd_field f);
/* Dwords of the packet as the driver emits it on this generation. */
unsigned cmd_length(int gen, enum cmd_id id);

/* The packet that a field belongs to, its name, and where it lies: false if it is absent on this generation. */
enum cmd_id cmd_field_packet(enum cmd_field f);
const char *cmd_field_name(enum cmd_field f);
bool cmd_field_bits(int gen, enum cmd_field f, unsigned *dw, unsigned *hi, unsigned *lo);
/* The values that the field can hold are 0 to this; for BYTES fields the low zero bits included. */
uint64_t cmd_field_max(int gen, enum cmd_field f);

/* Writes the header (opcode bits and length field) and zeros of a packet: cmd_length() dwords. */
void cmd_init(int gen, enum cmd_id id, uint32_t *dw);
/* Sets one field; asserts that it exists on this generation and that the value fits. */
void cmd_set(int gen, uint32_t *dw, enum cmd_field f, uint64_t value);
/* 0 if the field is absent on this generation. Reads the dwords that the field lies in: a command shorter
 * than cmd_length() is to be copied into a zeroed buffer of that length first, as the hardware does. */
uint64_t cmd_get(int gen, const uint32_t *dw, enum cmd_field f);
/* Bits set in dw[0 .. length - 1] that belong to no field and no header: true, with the dword's index. */
bool cmd_reserved(int gen, enum cmd_id id, const uint32_t *dw, unsigned length, unsigned *where);

/* Which command starts at dw, and how many dwords it has (from its length field, or fixed). Commands
 * that are known only by their class (3DSTATE_*, ...) give CMD_UNKNOWN_3D or similar with a length.
 * Returns -1 with *why set if the header is no command of this generation, or it runs past `avail`. */
enum cmd_engine { CMD_RENDER, CMD_BLIT };
int cmd_identify(int gen, enum cmd_engine engine, const uint32_t *dw, size_t avail, unsigned *length,
                 const char **why);
/* One packet as text, a line a field that isn't zero; as snprintf. */
int cmd_print(int gen, enum cmd_id id, const uint32_t *dw, unsigned length, char *buf, size_t size);


/* ---- Codes that fields hold ---- */
enum { CMD_PIPELINE_3D = 0, CMD_PIPELINE_MEDIA = 1, CMD_PIPELINE_GPGPU = 2 };
enum { CMD_POST_SYNC_NONE, CMD_POST_SYNC_IMMEDIATE, CMD_POST_SYNC_DEPTH_COUNT, CMD_POST_SYNC_TIMESTAMP };
enum cmd_surface_type {
    CMD_SURFACE_1D, CMD_SURFACE_2D, CMD_SURFACE_3D, CMD_SURFACE_CUBE, CMD_SURFACE_BUFFER,
    CMD_SURFACE_STRUCTURED, CMD_SURFACE_NULL = 7
};
enum { CMD_FORMAT_RAW = 0x1ff };
enum { CMD_SELECT_ZERO = 0, CMD_SELECT_ONE = 1, CMD_SELECT_R = 4, CMD_SELECT_G, CMD_SELECT_B, CMD_SELECT_A };
enum { CMD_WRAP_REPEAT = 0, CMD_WRAP_MIRROR = 1, CMD_WRAP_CLAMP = 2, CMD_WRAP_BORDER = 4 };
enum { CMD_TILE_LINEAR = 0, CMD_TILE_W, CMD_TILE_X, CMD_TILE_Y }; /* Gen8+ tile_mode */

/* Elements of a buffer surface, spread over width, height and depth. The setter takes 1 to
 * cmd_buffer_elements_max(). */
uint64_t cmd_buffer_elements_max(int gen);
void cmd_set_buffer_elements(int gen, uint32_t *surface, uint64_t n);
uint64_t cmd_get_buffer_elements(int gen, const uint32_t *surface);

/* INTERFACE_DESCRIPTOR slm_size: the smallest code that gives at least `bytes`, and what a code gives. -1 if
 * there is none. */
int cmd_slm_code(int gen, uint32_t bytes);
int64_t cmd_slm_bytes(int gen, unsigned code);
/* MEDIA_VFE_STATE scratch_size, bytes a thread; there is no code for none. */
int cmd_scratch_code(int gen, uint32_t bytes);
int64_t cmd_scratch_bytes(int gen, unsigned code);

/* ---- Registers, MMIO offsets ---- */
enum cmd_register {
    REG_PREDICATE_RESULT_2 = 0x2214,
    REG_PREEMPTION = 0x2248,         /* Gen8 */
    REG_INVOCATIONS = 0x2290,        /* 64 bits: threads dispatched */
    REG_TIMESTAMP = 0x2358,          /* 36 bits, high part 4 above */
    REG_CONTEXT_TIME = 0x23a8,       /* Gen8, 9 */
    REG_PREDICATE_SRC0 = 0x2400,     /* 64 bits each */
    REG_PREDICATE_SRC1 = 0x2408,
    REG_PREDICATE_DATA = 0x2410,
    REG_PREDICATE_RESULT = 0x2418,
    REG_PREDICATE_RESULT_1 = 0x241c,
    REG_3DPRIM_START_INSTANCE = 0x243c,
    REG_DISPATCH_X = 0x2500,         /* group counts of an indirect walker */
    REG_DISPATCH_Y = 0x2504,
    REG_DISPATCH_Z = 0x2508,
    REG_CS_CHICKEN1 = 0x2580,        /* Gen9, masked */
    REG_GPR0 = 0x2600,               /* Gen7.5+: 16 of 64 bits */
    REG_INSTPM = 0x20c0,             /* Gen7 to 8, masked */
    REG_CS_DEBUG_MODE2 = 0x20d8,     /* Gen9, masked */
    REG_L3CNTLREG = 0x7034,          /* Gen8, 9 */
    REG_SLICE_COMMON_ECO = 0x731c,   /* GLK, masked: bit 7 barrier mode */
    REG_L3SQCREG1 = 0xb010,          /* Gen7, 7.5 */
    REG_L3CNTLREG2 = 0xb020,
    REG_L3CNTLREG3 = 0xb024,
    REG_HSW_SCRATCH1 = 0xb038,       /* bit 27: no atomics in L3 */
    REG_L3SQCREG4 = 0xb118,          /* Gen8, 9 */
    REG_ARBITRATION = 0xe404,        /* Gen9 */
    REG_BCS_SWCTRL = 0x22200,        /* masked: copy engine, tiled means Y: bit 0 source, 1 destination */
    REG_HSW_ROW_CHICKEN3 = 0xe49c,   /* masked: bit 6, no global atomics in L3 */
};

#endif
