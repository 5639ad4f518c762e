/* Command and state packets, Gen7 to Gen9: one table (cmd.def) of packets and their fields, read by the
 * driver (setters), the simulated command streamer (getters) and the printer.
 *
 * CMD(name, ...) rows: packets with a header (MI, 3D/GPGPU, blitter) or none (states in memory), with
 * header value and mask and length by generation. CMD_FIELD(packet, field, ...) rows: dword, hi, lo by
 * generation; absent on a generation = -1. A field wider than its bits (64-bit addresses) spans two
 * dwords. Address fields are bytes: the getter returns the low bits as zeros, the setter asserts them.
 * Source: hw/commands of the PRMs, volume 2 (command reference). Layout only, no policy. */
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

/* Writes the header (opcode bits and length field) and zeros of a packet: cmd_length() dwords. */
void cmd_init(int gen, enum cmd_id id, uint32_t *dw);
/* Sets one field; asserts that it exists on this generation and that the value fits. */
void cmd_set(int gen, uint32_t *dw, enum cmd_field f, uint64_t value);
uint64_t cmd_get(int gen, const uint32_t *dw, enum cmd_field f);

/* Which command starts at dw, and how many dwords it has (from its length field, or fixed). Commands
 * that are known only by their class (3DSTATE_*, ...) give CMD_UNKNOWN_3D or similar with a length.
 * Returns -1 with *why set if the header is no command of this generation, or it runs past `avail`. */
enum cmd_engine { CMD_RENDER, CMD_BLIT };
int cmd_identify(int gen, enum cmd_engine engine, const uint32_t *dw, size_t avail, unsigned *length,
                 const char **why);
/* One packet as text, a line a field that isn't zero; as snprintf. */
int cmd_print(int gen, enum cmd_id id, const uint32_t *dw, unsigned length, char *buf, size_t size);

#endif
