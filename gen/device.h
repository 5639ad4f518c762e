/* The devices: one row of device.def a PCI id, one of class.def a class of equal parts. Facts only;
 * sources in the rows. Read-only, thread-safe. */
#ifndef GEN_DEVICE_H
#define GEN_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

enum gen_platform {
    GEN_IVB, GEN_BYT, GEN_HSW, GEN_BDW, GEN_CHV, GEN_SKL, GEN_BXT, GEN_KBL, GEN_GLK, GEN_CFL,
    GEN_N_PLATFORMS
};

/* Differences that a generation number does not tell, tested by name. */
enum gen_quirk {
    GEN_QUIRK_DF_DWORD_REGIONS = 1 << 0, /* IVB, BYT: DF regions counted in dwords */
    GEN_QUIRK_64BIT_REGIONS    = 1 << 1, /* CHV, BXT, GLK: rule (a) of 64-bit and DxD operands */
    GEN_QUIRK_NO_DXD_MUL       = 1 << 2, /* no usable D x D multiply (all before BDW; CHV, BXT, GLK) */
    GEN_QUIRK_SPARSE_FFTID     = 1 << 3, /* HSW: thread id in r0.5 is (b(6:0) << 2) + b(8:7) */
    GEN_QUIRK_NO_LLC           = 1 << 4, /* BYT, CHV, BXT, GLK: CPU caches not snooped by default */
};

struct gen_device {
    uint16_t pci_id;
    uint16_t gen;             /* 70, 75, 80, 90 */
    uint8_t platform;         /* enum gen_platform */
    const char *name;         /* of the class, as in --device: "hsw-gt2" */
    const char *marketing;    /* "Intel(R) HD Graphics 4600" */
    const char *codename;     /* "Haswell" */
    uint8_t slices, subslices, eu_per_subslice, threads_per_eu; /* subslices: of all slices */
    uint16_t eu_total, hw_threads;
    uint16_t max_group_threads; /* threads of one work group: min(64, one subslice) */
    uint16_t l3_banks, l3_kib, urb_kib;
    uint32_t timestamp_hz;      /* exact */
    uint32_t timestamp_period_ps; /* picoseconds a tick, rounded: 80000, 83333, 52083 */
    uint8_t address_bits;       /* PPGTT: 31, 32 or 48 */
    uint8_t pointer_bits;       /* of OpenCL pointers: 32 (Gen7, 7.5) or 64 */
    uint16_t curbe_regs;        /* MEDIA_CURBE_LOAD capacity in 32-byte registers: 992 or 2016 */
    uint32_t quirks;            /* enum gen_quirk */
    bool llc;
};

const struct gen_device *gen_device_by_id(uint16_t pci_id); /* NULL if unknown */
/* By class name ("hsw-gt2", "skl-gt2") or short platform name ("hsw" = its gt2, "byt"). NULL if none.
 * Of a class, the first id listed. */
const struct gen_device *gen_device_by_name(const char *name);
/* What a part with an unlisted id is taken for: the smallest of the platform of its neighbours (ids that differ
 * in the last digit) that is as large as it says, 0 = it doesn't. NULL if it has no neighbours, or they are of
 * several generations, or none is large enough. */
const struct gen_device *gen_device_related(uint16_t pci_id, unsigned subslices, unsigned eus);
const struct gen_device *gen_device_at(unsigned i); /* i-th id; NULL past the end */
const struct gen_device *gen_class_at(unsigned i);  /* i-th class's first id; NULL past the end */

#endif
