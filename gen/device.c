/* The device table, built from device.def (ids) and class.def (platforms and classes). Constant
 * data only.
 */
#include "gen/device.h"

#include <string.h>

/* What rows of device.def look up in class.def has to be a constant expression: enums, and arrays
 * for the names. */
enum {
#define GEN_PLATFORM(p, name, gen, hz, ps, address, pointer, class, df, r64, dxd, fftid, nollc)    \
    p##_gen = gen, p##_hz = hz, p##_ps = ps, p##_address_bits = address,                           \
    p##_pointer_bits = pointer, p##_llc = !(nollc),                                                \
    p##_quirks = (df)*GEN_QUIRK_DF_DWORD_REGIONS | (r64)*GEN_QUIRK_64BIT_REGIONS |                 \
                 (dxd)*GEN_QUIRK_NO_DXD_MUL | (fftid)*GEN_QUIRK_SPARSE_FFTID |                     \
                 (nollc)*GEN_QUIRK_NO_LLC,
#define GEN_CLASS(c, name, p, n_slices, n_subslices, eus, threads, banks, kib, urb, curbe)         \
    c##_platform = GEN_##p, c##_gen = p##_gen, c##_hz = p##_hz, c##_ps = p##_ps,                   \
    c##_address_bits = p##_address_bits, c##_pointer_bits = p##_pointer_bits, c##_llc = p##_llc,   \
    c##_quirks = p##_quirks, c##_slices = n_slices, c##_subslices = n_subslices, c##_eus = eus,    \
    c##_threads = threads, c##_l3_banks = banks, c##_l3_kib = kib, c##_urb_kib = urb,              \
    c##_curbe = curbe,
#include "gen/class.def"
#undef GEN_PLATFORM
#undef GEN_CLASS
};

#define GEN_PLATFORM(...)
#define GEN_CLASS(c, name, ...) static const char c##_name[] = name;
#include "gen/class.def"
#undef GEN_CLASS
#undef GEN_PLATFORM

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static const struct gen_device devices[] = {
#define GEN_DEVICE(id, c, market, code)                                                            \
    {.pci_id = id,                                                                                 \
     .gen = c##_gen,                                                                               \
     .platform = c##_platform,                                                                     \
     .name = c##_name,                                                                             \
     .marketing = market,                                                                          \
     .codename = code,                                                                             \
     .slices = c##_slices,                                                                         \
     .subslices = c##_subslices,                                                                   \
     .eu_per_subslice = c##_eus,                                                                   \
     .threads_per_eu = c##_threads,                                                                \
     .eu_total = c##_subslices * c##_eus,                                                          \
     .hw_threads = c##_subslices * c##_eus * c##_threads,                                          \
     .max_group_threads = MIN(64, c##_eus * c##_threads),                                          \
     .l3_banks = c##_l3_banks,                                                                     \
     .l3_kib = c##_l3_kib,                                                                         \
     .urb_kib = c##_urb_kib,                                                                       \
     .timestamp_hz = c##_hz,                                                                       \
     .timestamp_period_ps = c##_ps,                                                                \
     .address_bits = c##_address_bits,                                                             \
     .pointer_bits = c##_pointer_bits,                                                             \
     .curbe_regs = c##_curbe,                                                                      \
     .quirks = c##_quirks,                                                                         \
     .llc = c##_llc},
#include "gen/device.def"
#undef GEN_DEVICE
};

static const struct {
    const char *name, *class_name;
} short_names[] = {
#define GEN_PLATFORM(p, name, gen, hz, ps, address, pointer, class, ...) {name, class##_name},
#define GEN_CLASS(...)
#include "gen/class.def"
#undef GEN_CLASS
#undef GEN_PLATFORM
};

enum { N_DEVICES = sizeof devices / sizeof *devices };

const struct gen_device *gen_device_by_id(uint16_t pci_id)
{
    for (unsigned i = 0; i < N_DEVICES; i++) {
        if (devices[i].pci_id == pci_id)
            return &devices[i];
    }
    return NULL;
}

const struct gen_device *gen_device_by_name(const char *name)
{
    for (unsigned i = 0; i < sizeof short_names / sizeof *short_names; i++) {
        if (!strcmp(short_names[i].name, name)) {
            name = short_names[i].class_name;
            break;
        }
    }
    for (unsigned i = 0; i < N_DEVICES; i++) {
        if (!strcmp(devices[i].name, name))
            return &devices[i];
    }
    return NULL;
}

static unsigned distance(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

const struct gen_device *gen_device_related(uint16_t pci_id, unsigned subslices, unsigned eus)
{
    const struct gen_device *near = NULL, *best = NULL;
    for (unsigned i = 0; i < N_DEVICES; i++) {
        const struct gen_device *d = &devices[i];
        if (d->pci_id >> 4 != pci_id >> 4)
            continue;
        if (near && near->gen != d->gen)
            return NULL;
        if (!near || distance(d->pci_id, pci_id) < distance(near->pci_id, pci_id))
            near = d;
    }
    if (!near || (!subslices && !eus))
        return near;
    for (unsigned i = 0; i < N_DEVICES; i++) {
        const struct gen_device *d = &devices[i];
        if (d->platform != near->platform || d->subslices < subslices || d->eu_total < eus ||
            d->eu_per_subslice * subslices < eus)
            continue;
        if (!best || d->hw_threads < best->hw_threads)
            best = d;
    }
    return best;
}

const struct gen_device *gen_device_at(unsigned i)
{
    return i < N_DEVICES ? &devices[i] : NULL;
}

const struct gen_device *gen_class_at(unsigned i)
{
    static const char *const names[] = {
#define GEN_PLATFORM(...)
#define GEN_CLASS(c, ...) c##_name,
#include "gen/class.def"
#undef GEN_CLASS
#undef GEN_PLATFORM
    };
    return i < sizeof names / sizeof *names ? gen_device_by_name(names[i]) : NULL;
}
