/* What the files msg_*.c share: the surfaces of a dispatch, and views, through which a message
 * reaches memory by offsets, with bounds, translation and faults in one place. */
#ifndef SIM_HW_MSG_H
#define SIM_HW_MSG_H

#include "hw.h"

#include <string.h>

/* The memory that one message addresses: a surface, stateless memory, shared local memory. Offsets
 * count bytes from `base`; those at or past `size` are out of bounds (reads give 0, writes are
 * dropped). */
struct view {
    struct eu_thread *t;
    const struct msg *m;
    gpu_addr base;
    uint64_t size;
    uint8_t *host;   /* of offset lo; borrowed */
    uint64_t lo, hi; /* offsets whose host memory is known */
    bool write;      /* the message writes */
    bool slm;
    uint32_t lane_mask; /* of the header; all ones without one */
};

/* The size of a view that no offset is out of bounds of. */
static const uint64_t VIEW_UNBOUNDED = 1ull << 48;

/* What is known of a dispatch's surfaces; NULL: out of memory. */
struct msg_surfaces *surfaces_new(void);
void surfaces_free(struct msg_surfaces *surfaces);

/* Opens what the message's binding table index names. header: the payload's first register or NULL.
 * unit: bytes of the header's global offset (M0.2), 0: the message has none. False: fault recorded.
 */
bool view_open(struct view *v, struct eu_thread *t, const struct msg *m, uint32_t exdesc,
               const uint8_t *header, unsigned unit, bool write);
/* Memory by absolute addresses. */
void view_open_flat(struct view *v, struct eu_thread *t, const struct msg *m, gpu_addr base,
                    uint64_t size, bool write);
/* Host memory of [off, off + n), which is in bounds; NULL if it isn't mapped or not in one piece.
 * Widens lo..hi. No fault. */
uint8_t *view_find(struct view *v, uint64_t off, unsigned n);
/* Records the page fault of an access that view_find() refused. Returns false. */
bool view_fault(struct view *v, uint64_t off, unsigned n, int lane);
/* Byte by byte, for accesses that view_find() refused. */
bool view_read_slow(struct view *v, uint64_t off, void *to, unsigned n, int lane);
bool view_write_slow(struct view *v, uint64_t off, const void *from, unsigned n, int lane);
/* A message that the hardware forbids. Returns false. */
bool msg_fault(struct eu_thread *t, const struct msg *m, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* An access out of bounds: nothing, or a fault if the device is told to check. */
bool view_out_of_bounds(struct view *v, uint64_t off, unsigned n, int lane);

static inline uint8_t *view_ptr(struct view *v, uint64_t off, unsigned n)
{
    if (off >= v->lo && off + n <= v->hi)
        return v->host + (off - v->lo);
    return view_find(v, off, n);
}

static inline bool view_read(struct view *v, uint64_t off, void *to, unsigned n, int lane)
{
    const uint8_t *p = view_ptr(v, off, n);
    if (!p)
        return view_read_slow(v, off, to, n, lane);
    memcpy(to, p, n);
    return true;
}

static inline bool view_write(struct view *v, uint64_t off, const void *from, unsigned n, int lane)
{
    uint8_t *p = view_ptr(v, off, n);
    if (!p)
        return view_write_slow(v, off, from, n, lane);
    memcpy(p, from, n);
    return true;
}

static inline uint32_t msg_dword(const uint8_t *reg, unsigned i)
{
    uint32_t v;
    memcpy(&v, reg + 4 * i, sizeof v);
    return v;
}

static inline uint64_t msg_qword(const uint8_t *reg, unsigned i)
{
    uint64_t v;
    memcpy(&v, reg + 8 * i, sizeof v);
    return v;
}

static inline void msg_set_dword(uint8_t *reg, unsigned i, uint32_t v)
{
    memcpy(reg + 4 * i, &v, sizeof v);
}

static inline void msg_set_qword(uint8_t *reg, unsigned i, uint64_t v)
{
    memcpy(reg + 8 * i, &v, sizeof v);
}

/* The groups of messages; `lanes` already masked to the message's width. */
bool msg_untyped(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp);
bool msg_byte_scattered(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp);
bool msg_dword_scattered(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp);
/* The two slots of SIMD4x2; `lanes` are the eight dwords of a register. */
bool msg_untyped_4x2(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp);
bool msg_untyped_atomic(struct view *v, uint32_t lanes, const uint8_t *payload, uint8_t *resp);
bool msg_a64(struct eu_thread *t, const struct msg *m, uint32_t lanes, const uint8_t *payload,
             uint8_t *resp);
bool msg_oword_dual(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
                    const uint8_t *payload, uint8_t *resp);
bool msg_block(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
               const uint8_t *payload, uint8_t *resp);
bool msg_scratch(struct eu_thread *t, const struct msg *m, uint32_t lanes, const uint8_t *payload,
                 uint8_t *resp);
bool msg_a64_block(struct eu_thread *t, const struct msg *m, uint32_t lanes, const uint8_t *payload,
                   uint8_t *resp);
/* Images: `lanes` as the instruction has them. */
bool msg_typed(struct eu_thread *t, const struct msg *m, uint32_t exdesc, uint32_t lanes,
               const uint8_t *payload, uint8_t *resp);
bool msg_media(struct eu_thread *t, const struct msg *m, uint32_t exdesc, const uint8_t *payload,
               uint8_t *resp);
bool msg_gateway(struct eu_thread *t, const struct msg *m, const uint8_t *payload);

/* One atomic operation on shared memory. p is aligned. Returns what the message returns: the old
 * value (of PREDEC the new one). */
uint32_t atomic_dword(uint8_t *p, unsigned op, uint32_t src0, uint32_t src1);
uint64_t atomic_qword(uint8_t *p, unsigned op, uint64_t src0, uint64_t src1);
uint32_t atomic_float(uint8_t *p, unsigned op, uint32_t src0, uint32_t src1);
/* Operands of an operation besides the address; -1: not one the hardware has. */
int atomic_n_operands(unsigned op, bool is_float);

#endif
