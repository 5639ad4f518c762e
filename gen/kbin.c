/* Kernel binaries as ELF images. Sections: .text.NAME a kernel, .narrow.NAME its code of fewer
 * lanes, .rodata the constant data, .llvmbc the bitcode, .note.beignet two notes: who can read this
 * (format version, generation), and the metadata, a MessagePack map described by the tables below.
 * Reading trusts nothing. */
#define _GNU_SOURCE /* memfd_create */
#include "gen/kbin.h"
#include "gen/mp.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    NOTE_FORMAT = 1, /* uint32_t version, gen */
    NOTE_META = 2,
    MAX_KERNELS = 16384,
    MAX_PUSH_REGS = 2016,
    MAX_SURFACES = 240, /* 240 up are reserved for stateless and local memory */
    MAX_SLM = 65536,
    MAX_FILES = 65536,
    MAX_IMAGE = 1 << 30
};
static const char note_name[8] = "beignet";

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ROW(s, type, member)                                                                       \
    {                                                                                              \
#member, type, 0, offsetof(struct s, member), 0, NULL                                      \
    }
#define ROWN(s, type, member, n)                                                                   \
    {                                                                                              \
#member, type, n, offsetof(struct s, member), 0, NULL                                      \
    }
#define ROWV(s, type, member, cnt, shape)                                                          \
    {                                                                                              \
#member, type, 0, offsetof(struct s, member), offsetof(struct s, cnt), shape               \
    }

static const struct mp_field param_fields[] = {
    ROW(kbin_param, MP_U8, kind),  ROW(kbin_param, MP_U16, index), ROW(kbin_param, MP_U16, offset),
    ROW(kbin_param, MP_U16, size), ROW(kbin_param, MP_U16, src),
};
static const struct mp_field surface_fields[] = {
    ROW(kbin_surface, MP_U8, kind),
    ROW(kbin_surface, MP_U16, index),
    ROW(kbin_surface, MP_BOOL, written),
};
static const struct mp_field arg_fields[] = {
    ROW(kbin_arg, MP_U8, kind),  ROW(kbin_arg, MP_U8, access), ROW(kbin_arg, MP_U8, qualifiers),
    ROW(kbin_arg, MP_U32, size), ROW(kbin_arg, MP_U32, align), ROW(kbin_arg, MP_STR, type_name),
    ROW(kbin_arg, MP_STR, name), ROW(kbin_arg, MP_U8, image),
};
static const struct mp_field sampler_fields[] = {
    ROW(kbin_sampler, MP_BOOL, is_arg),
    ROW(kbin_sampler, MP_U16, index),
    ROW(kbin_sampler, MP_U16, image),
    ROW(kbin_sampler, MP_U32, value),
};
static const struct mp_field line_fields[] = {
    ROW(kbin_line, MP_U32, offset),
    ROW(kbin_line, MP_U32, file),
    ROW(kbin_line, MP_U32, line),
};
static const struct mp_field file_fields[] = {
    ROW(kbin_file, MP_STR, name),
};
static const struct mp_field reloc_fields[] = {
    ROW(kbin_reloc, MP_U32, offset),
    ROW(kbin_reloc, MP_U32, addend),
};
static const struct mp_field printf_arg_fields[] = {
    ROW(kbin_printf_arg, MP_U8, bits),
    ROW(kbin_printf_arg, MP_U8, n),
};
#define SHAPE(name, s, positional)                                                                 \
    static const struct mp_shape name##_shape = {name##_fields, N_OF(name##_fields),               \
                                                 sizeof(struct s), positional, true}
SHAPE(param, kbin_param, true);
SHAPE(surface, kbin_surface, true);
SHAPE(arg, kbin_arg, true);
SHAPE(reloc, kbin_reloc, true);
SHAPE(sampler, kbin_sampler, true);
SHAPE(line, kbin_line, true);
SHAPE(file, kbin_file, true);
SHAPE(printf_arg, kbin_printf_arg, true);

static const struct mp_field printf_fields[] = {
    ROW(kbin_printf, MP_STR, format),
    ROWV(kbin_printf, MP_ARRAY, args, n_args, &printf_arg_shape),
};
SHAPE(printf, kbin_printf, true);

static const struct mp_field kernel_fields[] = {
    ROW(kbin_kernel, MP_STR, name),
    ROW(kbin_kernel, MP_U32, simd),
    ROW(kbin_kernel, MP_U32, n_push_regs),
    ROWN(kbin_kernel, MP_BOOL, uses_local_id, 3),
    ROW(kbin_kernel, MP_BOOL, uses_barrier),
    ROW(kbin_kernel, MP_BOOL, observes_groups),
    ROW(kbin_kernel, MP_U32, slm_size),
    ROW(kbin_kernel, MP_U32, private_size),
    ROW(kbin_kernel, MP_U32, scratch_size),
    ROWN(kbin_kernel, MP_U32, reqd_wg_size, 3),
    ROWN(kbin_kernel, MP_U32, wg_size_hint, 3),
    ROW(kbin_kernel, MP_U32, reqd_simd),
    ROW(kbin_kernel, MP_STR, attributes),
    ROWV(kbin_kernel, MP_ARRAY, args, n_args, &arg_shape),
    ROWV(kbin_kernel, MP_ARRAY, params, n_params, &param_shape),
    ROWV(kbin_kernel, MP_ARRAY, surfaces, n_surfaces, &surface_shape),
    ROWV(kbin_kernel, MP_ARRAY, samplers, n_samplers, &sampler_shape),
    ROWV(kbin_kernel, MP_ARRAY, lines, n_lines, &line_shape),
    ROWV(kbin_kernel, MP_ARRAY, files, n_files, &file_shape),
    ROW(kbin_kernel, MP_U32, issue_clocks),
    ROW(kbin_kernel, MP_U32, wait_clocks),
    ROW(kbin_kernel, MP_U32, n_insns),
    ROW(kbin_kernel, MP_U32, n_sends),
    ROW(kbin_kernel, MP_U32, n_spills),
    ROW(kbin_kernel, MP_U32, n_fills),
};
SHAPE(kernel, kbin_kernel, false);

static const struct mp_field kbin_fields[] = {
    ROW(kbin, MP_U32, gen),
    ROW(kbin, MP_U32, quirks),
    ROW(kbin, MP_U32, pointer_bits),
    ROWV(kbin, MP_ARRAY, kernels, n_kernels, &kernel_shape),
    ROWV(kbin, MP_ARRAY, narrow, n_narrow, &kernel_shape),
    ROW(kbin, MP_U32, globals_size),
    ROWV(kbin, MP_ARRAY, relocs, n_relocs, &reloc_shape),
    ROWV(kbin, MP_ARRAY, printfs, n_printfs, &printf_shape),
    ROW(kbin, MP_U32, type),
    ROW(kbin, MP_STR, options),
};
SHAPE(kbin, kbin, false);

/* ---- consistency ---- */

static bool fail(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool is_buffer(const struct kbin_kernel *k, uint32_t arg)
{
    return arg < k->n_args &&
           (k->args[arg].kind == KBIN_ARG_GLOBAL || k->args[arg].kind == KBIN_ARG_CONSTANT);
}

static bool is_kind(const struct kbin_kernel *k, uint32_t arg, enum kbin_arg_kind kind)
{
    return arg < k->n_args && k->args[arg].kind == kind;
}

static bool check_param(const struct kbin_kernel *k, const struct kbin_param *p, const char **why)
{
    if (p->kind >= KBIN_N_PARAM_KINDS)
        return fail(why, "unknown kind of parameter");
    if (!p->size || (uint32_t)p->offset + p->size > k->n_push_regs * 32)
        return fail(why, "a parameter outside the push constants");

    switch ((enum kbin_param_kind)p->kind) {
    case KBIN_PARAM_ARG:
        if (p->index >= k->n_args || (uint32_t)p->src + p->size > k->args[p->index].size)
            return fail(why, "a parameter outside its argument");
        if (k->args[p->index].kind != KBIN_ARG_VALUE)
            return fail(why, "a parameter of the wrong kind of argument");
        return true;
    case KBIN_PARAM_ARG_ADDRESS:
        if (!is_buffer(k, p->index) || (p->size != 4 && p->size != 8))
            return fail(why, "an address that isn't of a buffer argument");
        return true;
    case KBIN_PARAM_ARG_OFFSET:
    case KBIN_PARAM_ARG_SIZE:
        if (!is_buffer(k, p->index) || p->size != 4)
            return fail(why, "an offset that isn't of a buffer argument");
        return true;
    case KBIN_PARAM_ARG_LOCAL:
        if (p->index >= k->n_args || k->args[p->index].kind != KBIN_ARG_LOCAL || p->size != 4)
            return fail(why, "a local offset that isn't of a local argument");
        return true;
    case KBIN_PARAM_CONSTANTS:
    case KBIN_PARAM_PRINTF:
        return p->size == 4 || p->size == 8 || fail(why, "an address of odd size");
    case KBIN_PARAM_GLOBAL_OFFSET:
    case KBIN_PARAM_GLOBAL_SIZE:
    case KBIN_PARAM_LOCAL_SIZE:
    case KBIN_PARAM_NUM_GROUPS:
    case KBIN_PARAM_GROUP_OFFSET:
    case KBIN_PARAM_ENQUEUED_LOCAL_SIZE:
        return (p->index < 3 && (p->size == 4 || p->size == 8)) ||
               fail(why, "a work-item parameter of odd dimension or size");
    case KBIN_PARAM_WORK_DIM:
    case KBIN_PARAM_PRIVATE_SIZE:
        return p->size == 4 || fail(why, "a parameter of odd size");
    case KBIN_PARAM_IMAGE_WIDTH:
    case KBIN_PARAM_IMAGE_HEIGHT:
    case KBIN_PARAM_IMAGE_DEPTH:
    case KBIN_PARAM_IMAGE_LAYERS:
    case KBIN_PARAM_IMAGE_ORDER:
    case KBIN_PARAM_IMAGE_TYPE:
        return (is_kind(k, p->index, KBIN_ARG_IMAGE) && p->size == 4) ||
               fail(why, "a property that isn't of an image argument");
    case KBIN_PARAM_SAMPLER:
        return (is_kind(k, p->index, KBIN_ARG_SAMPLER) && p->size == 4) ||
               fail(why, "sampler bits that aren't of a sampler argument");
    case KBIN_N_PARAM_KINDS:
        break;
    }
    return fail(why, "unknown kind of parameter");
}

static bool check_surface(const struct kbin *b, const struct kbin_kernel *k,
                          const struct kbin_surface *s, const char **why)
{
    if (s->kind >= KBIN_N_SURFACE_KINDS)
        return fail(why, "unknown kind of surface");
    if (s->kind == KBIN_SURFACE_ARG && !is_buffer(k, s->index))
        return fail(why, "a surface that isn't of a buffer argument");
    if (s->kind == KBIN_SURFACE_IMAGE && !is_kind(k, s->index, KBIN_ARG_IMAGE))
        return fail(why, "a surface that isn't of an image argument");
    if (s->kind == KBIN_SURFACE_CONSTANTS && !b->constants_size)
        return fail(why, "a surface of constant data, but there is none");
    if ((s->kind == KBIN_SURFACE_WINDOW0 || s->kind == KBIN_SURFACE_WINDOW1) && b->gen >= 80)
        return fail(why, "a window surface on Gen8 or later");
    return true;
}

static bool check_samplers(const struct kbin_kernel *k, const char **why)
{
    if (k->n_samplers > KBIN_MAX_SAMPLERS || (k->n_samplers && !k->samplers))
        return fail(why, "too many samplers");
    for (uint32_t i = 0; i < k->n_samplers; i++) {
        const struct kbin_sampler *s = &k->samplers[i];
        if ((s->is_arg && !is_kind(k, s->index, KBIN_ARG_SAMPLER)) ||
            !is_kind(k, s->image, KBIN_ARG_IMAGE))
            return fail(why, "a sampler of what isn't a sampler and an image argument");
    }
    return true;
}

static bool check_lines(const struct kbin_kernel *k, const char **why)
{
    if ((k->n_lines && !k->lines) || (k->n_files && !k->files) || k->n_files > MAX_FILES)
        return fail(why, "a table of lines or files is missing or too large");
    for (uint32_t i = 0; i < k->n_lines; i++) {
        const struct kbin_line *l = &k->lines[i];
        if (l->offset >= k->code_size || (i && l->offset <= l[-1].offset) || l->file >= k->n_files)
            return fail(why, "a line table out of order, or outside the code or the files");
    }
    for (uint32_t i = 0; i < k->n_files; i++) {
        if (!k->files[i].name)
            return fail(why, "a file without a name");
    }
    return true;
}

static bool check_kernel(const struct kbin *b, const struct kbin_kernel *k, const char **why)
{
    if (!k->name || !k->name[0])
        return fail(why, "a kernel without name");
    if (!k->code || !k->code_size || k->code_size % 8 || k->code_size > MAX_IMAGE)
        return fail(why, "a kernel without code, or of odd size");
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return fail(why, "a SIMD width other than 8, 16, 32");
    if (k->n_push_regs > MAX_PUSH_REGS)
        return fail(why, "too many push constants");
    if (k->slm_size > MAX_SLM)
        return fail(why, "too much local memory");
    if (k->private_size > 1 << 20 || k->scratch_size > 2 << 20)
        return fail(why, "too much private memory");
    if (k->n_args > KBIN_MAX_ARGS || k->n_surfaces > MAX_SURFACES ||
        k->n_params > 32 * MAX_PUSH_REGS)
        return fail(why, "too many arguments, surfaces or parameters");
    if ((k->n_args && !k->args) || (k->n_surfaces && !k->surfaces) || (k->n_params && !k->params))
        return fail(why, "a table is missing");
    for (unsigned i = 0; i < 3; i++) {
        if (k->reqd_wg_size[i] > 65536 || (!k->reqd_wg_size[i] != !k->reqd_wg_size[0]))
            return fail(why, "a required work-group size that no device has");
    }
    if (k->reqd_simd && k->reqd_simd != k->simd)
        return fail(why, "a SIMD width other than the required one");
    for (uint32_t i = 0; i < k->n_args; i++) {
        const struct kbin_arg *a = &k->args[i];
        if ((a->kind == KBIN_ARG_IMAGE) != (a->image != KBIN_IMAGE_NONE) ||
            a->image >= KBIN_N_IMAGES)
            return fail(why, "an argument that is half an image");
        if (a->kind >= KBIN_N_ARG_KINDS || a->access > KBIN_ACCESS_READ_WRITE || a->qualifiers > 15)
            return fail(why, "an argument of unknown kind");
        if (!a->size || a->size > 65536 || (a->align & (a->align - 1)) || a->align > 4096)
            return fail(why, "an argument of odd size or alignment");
    }
    for (uint32_t i = 0; i < k->n_params; i++) {
        if (!check_param(k, &k->params[i], why))
            return false;
    }
    for (uint32_t i = 0; i < k->n_surfaces; i++) {
        if (!check_surface(b, k, &k->surfaces[i], why))
            return false;
    }
    return check_samplers(k, why) && check_lines(k, why);
}

static bool check_printfs(const struct kbin *b, const char **why)
{
    if (b->n_printfs && !b->printfs)
        return fail(why, "a table is missing");
    for (uint32_t i = 0; i < b->n_printfs; i++) {
        const struct kbin_printf *p = &b->printfs[i];
        if (!p->format || (p->n_args && !p->args))
            return fail(why, "a printf without format or arguments");
        for (uint32_t k = 0; k < p->n_args; k++) {
            unsigned bits = p->args[k].bits, n = p->args[k].n;
            if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || !n || n > 16)
                return fail(why, "a printf of an argument of odd size");
        }
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool names_differ(const struct kbin *b)
{
    if (b->n_kernels < 2)
        return true;
    const char **names = calloc(b->n_kernels, sizeof(*names));
    if (!names)
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < b->n_kernels; i++)
        names[i] = b->kernels[i].name;
    qsort(names, b->n_kernels, sizeof(*names), by_name);
    for (uint32_t i = 1; i < b->n_kernels; i++)
        ok &= strcmp(names[i - 1], names[i]) != 0;
    free(names);
    return ok;
}

/* Whether a launch of k can be one of the narrower n: the driver asks k what its arguments are. */
static bool is_narrower(const struct kbin_kernel *k, const struct kbin_kernel *n)
{
    if (n->simd >= k->simd || n->slm_size != k->slm_size || n->n_args != k->n_args ||
        n->observes_groups != k->observes_groups ||
        memcmp(n->reqd_wg_size, k->reqd_wg_size, sizeof k->reqd_wg_size))
        return false;
    for (uint32_t i = 0; i < k->n_args; i++) {
        const struct kbin_arg *x = &k->args[i], *y = &n->args[i];
        if (x->kind != y->kind || x->image != y->image || x->size != y->size ||
            x->align != y->align)
            return false;
    }
    return true;
}

/* In the order of the kernels. */
static bool check_narrow(const struct kbin *b, const char **why)
{
    if (b->n_narrow > b->n_kernels || (b->n_narrow && !b->narrow))
        return fail(why, "too many narrow kernels");
    for (uint32_t i = 0, k = 0; i < b->n_narrow; i++, k++) {
        if (!check_kernel(b, &b->narrow[i], why))
            return false;
        while (k < b->n_kernels && strcmp(b->kernels[k].name, b->narrow[i].name))
            k++;
        if (k == b->n_kernels || !is_narrower(&b->kernels[k], &b->narrow[i]))
            return fail(why, "a narrow kernel that is none of the wide ones");
    }
    return true;
}

bool kbin_check(const struct kbin *b, const char **why)
{
    if (b->gen != 70 && b->gen != 75 && b->gen != 80 && b->gen != 90)
        return fail(why, "an unknown generation");
    if (b->pointer_bits != (b->gen >= 80 ? 64u : 32u))
        return fail(why, "a pointer size that the generation doesn't have");
    if (b->type != 1 && b->type != 2 && b->type != 4)
        return fail(why, "an unknown type of binary");
    if (b->type != 4 && (b->n_kernels || !b->bitcode_size))
        return fail(why, "an object or library without bitcode");
    if (b->n_kernels > MAX_KERNELS || (b->n_kernels && !b->kernels))
        return fail(why, "too many kernels");
    if (b->constants_size > MAX_IMAGE || (b->constants_size && !b->constants) ||
        (b->bitcode_size && !b->bitcode))
        return fail(why, "missing data");
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        if (!check_kernel(b, &b->kernels[i], why))
            return false;
    }
    if (!names_differ(b))
        return fail(why, "two kernels of the same name");
    if (!check_narrow(b, why))
        return false;
    if (!check_printfs(b, why))
        return false;
    for (uint32_t i = 0; i < b->n_relocs; i++) {
        if ((uint64_t)b->relocs[i].offset + b->pointer_bits / 8 > b->constants_size ||
            b->relocs[i].addend > b->constants_size)
            return fail(why, "a relocation outside the constant data");
    }
    return true;
}

void kbin_fini(struct kbin *b)
{
    for (uint32_t i = 0; b->kernels && i < b->n_kernels; i++)
        free(b->kernels[i].code);
    for (uint32_t i = 0; b->narrow && i < b->n_narrow; i++)
        free(b->narrow[i].code);
    free(b->constants);
    free(b->bitcode);
    mp_fini(&kbin_shape, b);
}

/* ---- writing ---- */

struct writer {
    Elf *elf;
    char *names; /* owned until the image is written: .shstrtab */
    size_t names_size;
    bool ok;
};

static uint32_t add_name(struct writer *w, const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), at = w->names_size;
    char *bigger = realloc(w->names, at + na + nb + 1);
    if (!bigger) {
        w->ok = false;
        return 0;
    }
    memcpy(bigger + at, a, na);
    memcpy(bigger + at + na, b, nb + 1);
    w->names = bigger;
    w->names_size = at + na + nb + 1;
    return (uint32_t)at;
}

static void add_section(struct writer *w, const char *name, const char *suffix, uint32_t type,
                        uint64_t flags, const void *data, size_t size, uint64_t align)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *d = scn ? elf_newdata(scn) : NULL;
    Elf64_Shdr *h = scn ? elf64_getshdr(scn) : NULL;
    if (!d || !h) {
        w->ok = false;
        return;
    }
    d->d_buf = (void *)data;
    d->d_size = size;
    d->d_align = align;
    d->d_type = ELF_T_BYTE;
    d->d_version = EV_CURRENT;
    h->sh_name = add_name(w, name, suffix);
    h->sh_type = type;
    h->sh_flags = flags;
    h->sh_addralign = align;
}

static const char text_prefix[] = ".text.", narrow_prefix[] = ".narrow.";

static void add_code(struct writer *w, const char *prefix, const struct kbin_kernel *k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add_section(w, prefix, k[i].name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, k[i].code,
                    k[i].code_size, 64);
}

static void add_note(msgpack_sbuffer *to, uint32_t type, const void *data, size_t size)
{
    static const char zero[4];
    Elf64_Nhdr n = {sizeof(note_name), (uint32_t)size, type};
    msgpack_sbuffer_write(to, (const char *)&n, sizeof(n));
    msgpack_sbuffer_write(to, note_name, sizeof(note_name));
    msgpack_sbuffer_write(to, data, size);
    msgpack_sbuffer_write(to, zero, -size & 3);
}

/* libelf writes to descriptors only: an anonymous file. */
static bool write_sections(const struct kbin *b, int fd, const msgpack_sbuffer *notes)
{
    struct writer w = {.ok = true};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    w.elf = elf_begin(fd, ELF_C_WRITE, NULL);
    Elf64_Ehdr *eh = w.elf ? elf64_newehdr(w.elf) : NULL;
    if (!eh) {
        elf_end(w.elf);
        return false;
    }
    eh->e_ident[EI_DATA] = ELFDATA2LSB;
    eh->e_type = ET_REL;
    eh->e_machine = EM_INTELGT;
    eh->e_version = EV_CURRENT;

    add_name(&w, "", "");
    add_section(&w, ".note.beignet", "", SHT_NOTE, 0, notes->data, notes->size, 4);
    add_code(&w, text_prefix, b->kernels, b->n_kernels);
    add_code(&w, narrow_prefix, b->narrow, b->n_narrow);
    if (b->constants_size)
        add_section(&w, ".rodata", "", SHT_PROGBITS, SHF_ALLOC, b->constants, b->constants_size,
                    64);
    if (b->bitcode_size)
        add_section(&w, ".llvmbc", "", SHT_PROGBITS, 0, b->bitcode, b->bitcode_size, 4);

    Elf_Scn *scn = elf_newscn(w.elf);
    Elf_Data *d = scn ? elf_newdata(scn) : NULL;
    Elf64_Shdr *h = scn ? elf64_getshdr(scn) : NULL;
    if (d && h) {
        h->sh_name = add_name(&w, ".shstrtab", "");
        h->sh_type = SHT_STRTAB;
        d->d_buf = w.names;
        d->d_size = w.names_size;
        d->d_align = 1;
        d->d_type = ELF_T_BYTE;
        d->d_version = EV_CURRENT;
        eh->e_shstrndx = (uint16_t)elf_ndxscn(scn);
    } else {
        w.ok = false;
    }
    w.ok = w.ok && elf_update(w.elf, ELF_C_WRITE) >= 0;
    elf_end(w.elf);
    free(w.names);
    return w.ok;
}

static bool read_back(int fd, uint8_t **out, size_t *size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    uint8_t *p = end > 0 ? malloc((size_t)end) : NULL;
    if (!p)
        return false;
    for (off_t at = 0; at < end;) {
        ssize_t n = pread(fd, p + at, (size_t)(end - at), at);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            free(p);
            return false;
        }
        at += n > 0 ? n : 0;
    }
    *out = p;
    *size = (size_t)end;
    return true;
}

bool kbin_write(const struct kbin *b, uint8_t **out, size_t *size, const char **why)
{
    uint32_t format[2] = {KBIN_VERSION, b->gen};
    msgpack_sbuffer meta, notes;
    msgpack_packer pk;

    if (!kbin_check(b, why))
        return false;
    msgpack_sbuffer_init(&meta);
    msgpack_sbuffer_init(&notes);
    msgpack_packer_init(&pk, &meta, msgpack_sbuffer_write);
    mp_pack(&pk, &kbin_shape, b);
    add_note(&notes, NOTE_FORMAT, format, sizeof(format));
    add_note(&notes, NOTE_META, meta.data, meta.size);

    int fd = memfd_create("kbin", MFD_CLOEXEC);
    bool ok = fd >= 0 && mp_scan(meta.data, meta.size) && write_sections(b, fd, &notes) &&
              read_back(fd, out, size);
    if (fd >= 0)
        close(fd);
    msgpack_sbuffer_destroy(&meta);
    msgpack_sbuffer_destroy(&notes);
    return ok || fail(why, "no memory for the image");
}

/* ---- reading ---- */

/* A section of the image: bounds are checked here, so that nothing later looks outside. */
struct section {
    const char *name;
    const uint8_t *data;
    size_t size;
};

struct image {
    const uint8_t *data;
    size_t size;
    Elf64_Shdr *headers; /* owned */
    unsigned n;
    struct section names;
};

static bool section_bytes(const struct image *im, unsigned i, struct section *out)
{
    const Elf64_Shdr *h = &im->headers[i];
    if (h->sh_type == SHT_NOBITS || h->sh_offset > im->size || h->sh_size > im->size - h->sh_offset)
        return false;
    out->data = im->data + h->sh_offset;
    out->size = h->sh_size;
    return true;
}

static bool section_at(const struct image *im, unsigned i, struct section *out)
{
    uint32_t name = im->headers[i].sh_name;
    if (!section_bytes(im, i, out) || name >= im->names.size)
        return false;
    out->name = (const char *)im->names.data + name;
    return memchr(out->name, 0, im->names.size - name) != NULL;
}

static bool find_section(const struct image *im, const char *name, struct section *out)
{
    for (unsigned i = 1; i < im->n; i++) {
        if (section_at(im, i, out) && !strcmp(out->name, name))
            return true;
    }
    return false;
}

/* The headers are read by hand: little, and with every bound in sight. */
static bool image_init(struct image *im, const void *data, size_t size)
{
    const unsigned char *id = data;
    Elf64_Ehdr eh;
    size_t n, names;

    *im = (struct image){.data = data, .size = size};
    if (size < sizeof(eh) || size > MAX_IMAGE || memcmp(id, ELFMAG, SELFMAG) ||
        id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB || id[EI_VERSION] != EV_CURRENT)
        return false;
    memcpy(&eh, data, sizeof(eh));
    n = eh.e_shnum;
    names = eh.e_shstrndx;
    if (eh.e_machine != EM_INTELGT || eh.e_shentsize != sizeof(Elf64_Shdr) || n < 2 || names >= n ||
        eh.e_shoff > size || (size - eh.e_shoff) / sizeof(Elf64_Shdr) < n)
        return false;
    im->headers = malloc(n * sizeof(*im->headers));
    if (!im->headers)
        return false;
    memcpy(im->headers, im->data + eh.e_shoff, n * sizeof(*im->headers));
    im->n = (unsigned)n;
    return section_bytes(im, (unsigned)names, &im->names);
}

static bool find_note(const struct section *s, uint32_t type, struct section *out)
{
    size_t at = 0;
    while (s->size - at >= sizeof(Elf64_Nhdr) + sizeof(note_name)) {
        Elf64_Nhdr n;
        memcpy(&n, s->data + at, sizeof(n));
        at += sizeof(n);
        if (n.n_namesz != sizeof(note_name) || memcmp(s->data + at, note_name, sizeof(note_name)))
            return false;
        at += sizeof(note_name);
        if (n.n_descsz > s->size - at)
            return false;
        if (n.n_type == type) {
            out->data = s->data + at;
            out->size = n.n_descsz;
            return true;
        }
        size_t step = ((size_t)n.n_descsz + 3) & ~(size_t)3;
        if (step > s->size - at)
            return false;
        at += step;
    }
    return false;
}

static bool copy_bytes(const struct section *s, uint8_t **out, size_t *size)
{
    *out = malloc(s->size + 1);
    if (!*out)
        return false;
    memcpy(*out, s->data, s->size);
    *size = s->size;
    return true;
}

static bool read_code(const struct image *im, const char *prefix, struct kbin_kernel *kernels,
                      uint32_t n)
{
    uint32_t k = 0;
    for (unsigned i = 1; i < im->n; i++) {
        struct section s;
        if (!section_at(im, i, &s) || strncmp(s.name, prefix, strlen(prefix)))
            continue;
        if (k >= n || !kernels[k].name || strcmp(s.name + strlen(prefix), kernels[k].name) ||
            !copy_bytes(&s, &kernels[k].code, &kernels[k].code_size))
            return false;
        k++;
    }
    return k == n;
}

const char kbin_no_memory[] = "out of memory";

bool kbin_read(const void *data, size_t size, struct kbin *out, const char **why)
{
    struct kbin b = {0};
    struct image im;
    struct section notes, note, s;
    uint32_t format[2];

    errno = 0; /* which only the lack of memory sets here */
    *why = "not a kernel binary of beignet";
    if (!image_init(&im, data, size) || !find_section(&im, ".note.beignet", &notes) ||
        !find_note(&notes, NOTE_FORMAT, &note) || note.size != sizeof(format))
        goto fail;
    memcpy(format, note.data, sizeof(format));
    if (format[0] != KBIN_VERSION) {
        *why = "a kernel binary of another format version";
        goto fail;
    }
    *why = "damaged metadata";
    if (!find_note(&notes, NOTE_META, &note) || !mp_read(note.data, note.size, &kbin_shape, &b) ||
        b.gen != format[1])
        goto fail;
    *why = "kernels without code";
    if (!read_code(&im, text_prefix, b.kernels, b.n_kernels) ||
        !read_code(&im, narrow_prefix, b.narrow, b.n_narrow))
        goto fail;
    *why = kbin_no_memory;
    if (find_section(&im, ".rodata", &s) && !copy_bytes(&s, &b.constants, &b.constants_size))
        goto fail;
    if (find_section(&im, ".llvmbc", &s) && !copy_bytes(&s, &b.bitcode, &b.bitcode_size))
        goto fail;
    if (!kbin_check(&b, why))
        goto fail;
    free(im.headers);
    *out = b;
    return true;

fail:
    if (errno == ENOMEM)
        *why = kbin_no_memory;
    free(im.headers);
    kbin_fini(&b);
    return false;
}
