/* Messages: what a send's descriptor says, for data port, gateway, spawner and sampler, Gen7 to Gen9.
 * msg.def holds the rows (SFID and type code by generation, header rule, payload lengths). Layout
 * only; what a message does stands in sim/hw/msg_*.c.
 * Source: Intel PRM volume 4/7 "Shared Functions"/"Data Port". */
#ifndef GEN_MSG_H
#define GEN_MSG_H

#include <stdbool.h>
#include <stdint.h>

enum { MSG_BTI_SLM = 254, MSG_BTI_STATELESS = 255, MSG_BTI_STATELESS_NC = 253, MSG_BTI_BINDLESS = 252 };

enum eu_sfid {
    SFID_NULL = 0, SFID_SAMPLER = 2, SFID_GATEWAY = 3, SFID_SAMPLER_CACHE = 4, SFID_RENDER = 5,
    SFID_URB = 6, SFID_SPAWNER = 7, SFID_CONST = 9, SFID_DATA0 = 10, SFID_DATA1 = 12
};

/* Message kinds, independent of generation: rows MSG(name, ...) of msg.def give MSG_untyped_read etc. */
enum msg_kind {
#define MSG(name, ...) MSG_##name,
#include "msg.def"
#undef MSG
    MSG_N_KINDS
};

/* Atomic operations, hardware codes (untyped, typed, A64 integer; float ones on Gen9). */
enum msg_atomic {
    ATOMIC_CMPWR8B = 0, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_MOV, ATOMIC_INC, ATOMIC_DEC,
    ATOMIC_ADD, ATOMIC_SUB, ATOMIC_REVSUB, ATOMIC_IMAX, ATOMIC_IMIN, ATOMIC_UMAX, ATOMIC_UMIN,
    ATOMIC_CMPWR, ATOMIC_PREDEC
};

enum { MSG_FLOAT_MAX = 1, MSG_FLOAT_MIN = 2, MSG_FLOAT_CMPWR = 3 }; /* msg.atomic of float atomics */
enum { MSG_GATEWAY_BARRIER = 4 };

/* Messages of the sampler, hardware codes: msg.sampler_type. */
enum msg_sampler {
#define MSG_SAMPLER(name, code, ...) MSG_SAMPLER_##name = code,
#include "msg_sampler.def"
#undef MSG_SAMPLER
    MSG_SAMPLER_N = 32
};

/* A descriptor taken apart. Members that a kind has no use for are 0. */
struct msg {
    uint8_t kind;      /* enum msg_kind */
    uint8_t sfid;      /* enum eu_sfid */
    uint8_t mlen;      /* registers of src0 (without sends' src1) */
    uint8_t ex_mlen;   /* sends: registers of src1 */
    uint8_t rlen;      /* registers of the response */
    bool header;
    bool eot;
    uint8_t bti;
    uint8_t simd;      /* 8 or 16 lanes; SIMD4x2 counts as 8 with `simd4x2` set */
    bool simd4x2;
    uint8_t n_chan;    /* untyped, typed: channels moved (1..4); chan_off: disabled mask as encoded */
    uint8_t chan_off;  /* bit set = channel not moved */
    uint8_t data_size; /* scattered: bytes an element (1, 2, 4, 8); n_elem of them a lane */
    uint8_t n_elem;    /* scattered: elements a lane (1, 2, 4, A64 also 8) */
    uint8_t n_oword;   /* OWord and A64 block: 1, 2, 4, 8; `high_half` for a single upper OWord */
    bool high_half;
    bool hword;        /* A64 block: HWord subtype; n_oword counts OWords all the same (2..16) */
    bool unaligned;    /* block: offset in bytes, not OWords. A64 scattered: the byte subtype, any
                          alignment (always so for data_size 1 and 2; n_elem is 1) */
    uint8_t atomic;    /* enum msg_atomic, or float operation of float_atomic kinds */
    bool returns;      /* atomics: old value comes back */
    bool is_64;        /* A64 atomics: 64-bit data */
    uint16_t scratch_offset; /* scratch block: register offset (32-byte units) */
    uint8_t n_regs;    /* scratch block: 1, 2, 4, 8 registers */
    bool dword_mode;   /* scratch block: the mask guards dwords (else OWords) */
    bool commit;       /* fence: wants a reply */
    uint8_t flush;     /* fence, Gen8+: caches as encoded (bit 0 instruction .. bit 3 L3 data) */
    bool high_slots;   /* typed: the upper 8 lanes' slot group */
    bool invalidate;   /* scratch read: invalidate after read; dword scattered likewise */
    uint8_t gateway_fn;/* gateway: 4 = barrier, ... */
    uint8_t notify;    /* gateway: notification as encoded; ack: acknowledge request */
    bool ack;
    bool ret16;        /* sampler, Gen9: 16-bit return */
    uint8_t sampler_type, sampler_index; /* sampler: message type, sampler state index */
    uint32_t function; /* bits 18:0 as encoded */
};

const char *msg_name(enum msg_kind k);
const char *msg_sampler_name(unsigned code); /* NULL: there is no such message */
/* Registers of the whole payload (mlen + ex_mlen, header included) and of the response, as the other
 * members ask. False if the kind leaves them open (typed, media block, sampler). */
bool msg_lengths(const struct msg *m, unsigned *mlen, unsigned *rlen);
/* Builds the descriptor (bits 30:0) from the parts; kind, mlen, ex_mlen, rlen, header and the kind's
 * own members count (channels by chan_off or, if that is 0, the first n_chan). False, *why set, if this
 * generation lacks it or msg_unpack() would refuse it. */
bool msg_pack(int gen, const struct msg *in, uint32_t *desc, uint8_t *sfid, const char **why);
/* Takes a descriptor apart and checks it: type known on this generation, reserved bits 0, header
 * present or forbidden as the kind asks, mlen and rlen as the kind, SIMD width and channels ask.
 * False with *why set otherwise. ex_mlen is that of sends (0 for send). */
bool msg_unpack(int gen, uint8_t sfid, uint32_t desc, uint8_t ex_mlen, struct msg *out, const char **why);

#endif
