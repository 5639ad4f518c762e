/* The kernel binary: what beignet-cc produces and the driver loads. In a file: ELF (libelf), one text
 * section a kernel, a constant-data section, metadata as MessagePack in a note with generation and format
 * version. In memory: the structs below. A library of its own, `kbin`; readers accept any bytes and
 * either give a consistent struct or an error text.
 *
 * It is also the contract between compiler and driver about how a kernel is started, on all
 * generations:
 *
 *   r0              the hardware's header
 *   r1 ..           cross-thread constants, n_push_regs registers: kbin_param rows say what lies where.
 *                   (Gen7 has per-thread constants only: the driver repeats them in each thread's block;
 *                   the registers are the same.)
 *   then            local ids, for each dimension with uses_local_id[d], x first: simd x uint16,
 *                   one register (two at SIMD32).
 *   binding table   entry i is described by surfaces[i].
 *   thread slot     the code takes r0.5 b(8:0), Gen9 b(9:0), as it is: on Haswell the numbers are
 *                   sparse, and private memory has room for all 512.
 *   local memory    offset 0 up: the kernel's own local variables (slm_size), then each __local argument,
 *                   at an offset that the driver chooses, 16-aligned or more, passed as a 32-bit value.
 *
 * All payload is delivered by MEDIA_CURBE_LOAD. */
#ifndef GEN_KBIN_H
#define GEN_KBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KBIN_VERSION = 2 };

/* What the cross-thread constants hold at `offset` (bytes from r1.0), `size` bytes. */
enum kbin_param_kind {
    KBIN_PARAM_ARG,           /* bytes [src, src + size) of argument `index` by value */
    KBIN_PARAM_ARG_ADDRESS,   /* GPU address of buffer argument `index` (4 or 8 bytes); NULL gives 0 */
    KBIN_PARAM_ARG_OFFSET,    /* buffer argument `index`: offset of its first byte in its surface (u32); in kernels with offsets only */
    KBIN_PARAM_ARG_LOCAL,     /* local-memory offset of __local argument `index` (u32) */
    KBIN_PARAM_ARG_SIZE,      /* bytes of buffer argument `index` (u32) */
    KBIN_PARAM_CONSTANTS,     /* GPU address of the program's constant data */
    KBIN_PARAM_GLOBAL_OFFSET, /* index = dimension; u32 unless size is 8 */
    KBIN_PARAM_GLOBAL_SIZE, KBIN_PARAM_LOCAL_SIZE, KBIN_PARAM_NUM_GROUPS, KBIN_PARAM_GROUP_OFFSET,
    KBIN_PARAM_ENQUEUED_LOCAL_SIZE,
    KBIN_PARAM_WORK_DIM,
    KBIN_PARAM_PRINTF,        /* GPU address of the launch's printf buffer, see below */
    KBIN_PARAM_PRIVATE_SIZE,  /* bytes of private memory a lane (u32) */
    KBIN_PARAM_IMAGE_WIDTH,   /* of image argument `index` (u32); 0 in dimensions that it lacks */
    KBIN_PARAM_IMAGE_HEIGHT, KBIN_PARAM_IMAGE_DEPTH, KBIN_PARAM_IMAGE_LAYERS,
    KBIN_PARAM_IMAGE_ORDER, KBIN_PARAM_IMAGE_TYPE, /* CL_RGBA.., CL_UNORM_INT8.. (u32) */
    KBIN_PARAM_SAMPLER,       /* sampler argument `index`: its CLK_* bits as Clang has them (u32) */
    KBIN_N_PARAM_KINDS
};
struct kbin_param {
    uint8_t kind;    /* enum kbin_param_kind */
    uint16_t index;  /* argument or dimension */
    uint16_t offset; /* bytes from r1.0 */
    uint16_t size;   /* bytes */
    uint16_t src;    /* ARG: first byte of the argument's value */
};

/* What binding-table entry i shows. Buffers are RAW surfaces whose base is the buffer's first byte. */
enum kbin_surface_kind {
    KBIN_SURFACE_ARG,       /* buffer argument `index` (global or constant) */
    KBIN_SURFACE_CONSTANTS, /* the program's constant data, 4-byte granular */
    KBIN_SURFACE_PRIVATE,   /* private memory: hardware thread slot * simd * private_size bytes in all */
    KBIN_SURFACE_WINDOW0,   /* Gen7, 7.5: RAW over addresses 0 .. 2^30 - 1 */
    KBIN_SURFACE_WINDOW1,   /* Gen7, 7.5: RAW over 2^30 .. 2^31 - 1 */
    KBIN_SURFACE_IMAGE,     /* image argument `index` */
    KBIN_N_SURFACE_KINDS
};
struct kbin_surface {
    uint8_t kind;   /* enum kbin_surface_kind */
    uint16_t index; /* argument */
    bool written;
};

/* Sampler state i of the messages: a sampler as one image is read with it (the border colour depends on the image's
 * channel order). As many as 16 samplers and 128 images make pairs. */
enum { KBIN_MAX_SAMPLERS = 2048 };
struct kbin_sampler {
    bool is_arg;    /* sampler argument `index`; else the constant `value` */
    uint16_t index;
    uint16_t image; /* image argument */
    uint32_t value; /* CLK_* bits as Clang has them */
};

/* CL_DEVICE_MAX_PARAMETER_SIZE bytes can be as many arguments. */
enum { KBIN_MAX_ARGS = 1024 };
enum kbin_arg_kind { KBIN_ARG_VALUE, KBIN_ARG_GLOBAL, KBIN_ARG_CONSTANT, KBIN_ARG_LOCAL, KBIN_ARG_IMAGE,
                     KBIN_ARG_SAMPLER, KBIN_N_ARG_KINDS };
enum kbin_image { KBIN_IMAGE_NONE, KBIN_IMAGE_1D, KBIN_IMAGE_1D_BUFFER, KBIN_IMAGE_1D_ARRAY, KBIN_IMAGE_2D,
                  KBIN_IMAGE_2D_ARRAY, KBIN_IMAGE_3D, KBIN_IMAGE_2D_DEPTH, KBIN_IMAGE_2D_ARRAY_DEPTH, KBIN_N_IMAGES };
enum kbin_access { KBIN_ACCESS_NONE, KBIN_ACCESS_READ, KBIN_ACCESS_WRITE, KBIN_ACCESS_READ_WRITE };
enum { KBIN_QUAL_CONST = 1, KBIN_QUAL_RESTRICT = 2, KBIN_QUAL_VOLATILE = 4, KBIN_QUAL_PIPE = 8 };
struct kbin_arg {
    uint8_t kind;      /* enum kbin_arg_kind */
    uint8_t access;    /* images */
    uint8_t image;     /* images: enum kbin_image */
    uint8_t qualifiers;
    uint32_t size;     /* what clSetKernelArg must be given: 8 or 4 for a pointer handle is sizeof(cl_mem) */
    uint32_t align;    /* VALUE: alignment; LOCAL: alignment of the pointee */
    char *type_name;   /* "float4*"; owned, NULL if not recorded */
    char *name;        /* owned; NULL without -cl-kernel-arg-info */
};

/* Instructions from byte `offset` up to the next row's come from this place in the source. */
struct kbin_line {
    uint32_t offset, file, line; /* file: index of files */
};
struct kbin_file {
    char *name; /* owned */
};

/* Output of printf. A launch's buffer begins with two dwords: bytes of records that are taken (0 at first; it may
 * come to exceed what there is), and bytes that there are. At KBIN_PRINTF_RECORDS records begin, one behind the
 * other, zeros where none has been written. A record is a dword with the number of its row of kbin.printfs plus 1,
 * then the arguments, an element of a vector after the other, each 4 bytes, or 8 where it has 64 bits. What %s
 * prints is passed as the offset of its first byte in the constant data. */
enum { KBIN_PRINTF_TAKEN = 0, KBIN_PRINTF_CAPACITY = 4, KBIN_PRINTF_RECORDS = 16 };
struct kbin_printf_arg {
    uint8_t bits; /* 8, 16, 32, 64; a float's 32, a double's 64 */
    uint8_t n;    /* elements: 1, or 2 3 4 8 16 of a vector */
};
struct kbin_printf {
    char *format; /* owned */
    struct kbin_printf_arg *args; /* owned; those that the format prints */
    uint32_t n_args;
};

struct kbin_kernel {
    char *name;              /* owned */
    uint8_t *code;           /* owned: EU instructions, position-independent */
    size_t code_size;
    uint32_t simd;           /* 8, 16, 32 */
    uint32_t n_push_regs;    /* cross-thread constants, registers */
    bool uses_local_id[3];
    bool uses_barrier;
    bool observes_groups;    /* reads group ids, local ids or sizes, uses barriers or local memory: false
                                means that the driver may cut the range into groups as it likes */
    uint32_t slm_size;       /* bytes of static local memory */
    uint32_t private_size;   /* bytes of private memory a lane in KBIN_SURFACE_PRIVATE; 0 = none */
    uint32_t scratch_size;   /* bytes of spill space a thread (scratch block messages); 0 = none */
    uint32_t reqd_wg_size[3];/* 0 = not given */
    uint32_t wg_size_hint[3];
    uint32_t reqd_simd;      /* intel_reqd_sub_group_size; 0 = none */
    char *attributes;        /* CL_KERNEL_ATTRIBUTES; owned; NULL = "" */
    struct kbin_arg *args;   /* owned */
    struct kbin_param *params;
    struct kbin_surface *surfaces;
    struct kbin_sampler *samplers;
    uint32_t n_args, n_params, n_surfaces, n_samplers;
    struct kbin_line *lines; /* owned; by ascending offset; none unless built with -g */
    struct kbin_file *files; /* owned */
    uint32_t n_lines, n_files;
    /* The compiler's estimate of one thread by itself: EU clocks to issue its instructions, and spent waiting. As
     * good as its guess how often loops go round, which is the same for both widths of a kernel. */
    uint32_t issue_clocks, wait_clocks;
    /* for people: `beignet-cc --info`, tests */
    uint32_t n_insns, n_sends, n_spills, n_fills;
};

struct kbin {
    uint32_t gen;                /* 70, 75, 80, 90 */
    uint32_t quirks;             /* gen_quirk bits that the code was made for (device.h) */
    uint32_t pointer_bits;
    struct kbin_kernel *kernels; /* owned */
    uint32_t n_kernels;
    struct kbin_kernel *narrow;  /* owned: some of the kernels again, by name, of fewer lanes: the driver takes
                                    which is quicker for a launch */
    uint32_t n_narrow;
    uint8_t *constants;          /* owned: initialised constant data; its absolute addresses in relocs */
    size_t constants_size;
    uint32_t globals_size;       /* bytes of it that are variables which kernels may write */
    struct kbin_reloc { uint32_t offset, addend; } *relocs; /* constants[offset] += address of constants */
    uint32_t n_relocs;
    struct kbin_printf *printfs; /* owned */
    uint32_t n_printfs;
    uint8_t *bitcode;            /* owned: LLVM bitcode for clLinkProgram; NULL if none */
    size_t bitcode_size;
    uint32_t type;               /* CL_PROGRAM_BINARY_TYPE_* value: executable, compiled object, library */
    char *options;               /* the build options; owned */
};

/* Writes the ELF image to a malloc'ed buffer. False with *why set. */
bool kbin_write(const struct kbin *k, uint8_t **out, size_t *size, const char **why);
/* Reads and checks an image: any bytes are allowed. *out owns copies of all. False with *why set. */
bool kbin_read(const void *data, size_t size, struct kbin *out, const char **why);
extern const char kbin_no_memory[]; /* *why, where that was the reason */
/* Consistency of the struct itself: offsets inside n_push_regs, argument indices, sizes, simd. */
bool kbin_check(const struct kbin *k, const char **why);
void kbin_fini(struct kbin *k); /* frees what it owns; accepts a zeroed struct */

#endif
