/* The command beignet-cc: offline compiler, table of kernels, disassembler; and the way into the
 * server. */
#include "backend/cc.h"
#include "backend/llvmx.h"
#include "gen/eu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: beignet-cc [--device NAME|0xID] [-o FILE] [-c | --library] [-d PASS,...] [--info]\n"
    "                  [--simd N] [build options] FILE...\n"
    "       beignet-cc --disasm FILE | --info FILE.bin | --devices | [--simd N] --server FD\n"
    "\n"
    "Compiles a program (FILE.cl: OpenCL C; FILE.spv: SPIR-V; - for standard input) for a device, "
    "or links objects.\n"
    "  --device NAME   e.g. ivb-gt2, hsw-gt2, bdw-gt2, skl-gt2, or a PCI id (default skl-gt2)\n"
    "  -o FILE         write the kernel binary\n"
    "  -c              compile only: an object for linking\n"
    "  --library       link objects to a library\n"
    "  -d PASS,...     dump after passes, to standard error: front, link, inline, opt, llvm, ir, "
    "...\n"
    "                  (stop: stop before code generation)\n"
    "  --simd N        width of the kernels that require none: 8, 16 or 32\n"
    "  --info          table of the kernels\n"
    "Build options are those of clBuildProgram.\n";

struct command {
    const char *device, *output, *dumps, *disasm;
    const char **files;
    unsigned n_files;
    bool compile_only, library, info;
    char *options;
};

static int fail(const char *fmt, const char *what)
{
    fprintf(stderr, "beignet-cc: ");
    fprintf(stderr, fmt, what);
    fprintf(stderr, "\n");
    return 2;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rbe") : stdin;
    char *data = NULL;
    size_t n = 0, cap = 0, got = 1;

    if (!f)
        return NULL;
    while (got) {
        if (n + 4096 > cap) {
            data = cc_grow(data, n, cap * 2 + 65536);
            cap = cap * 2 + 65536;
        }
        got = fread(data + n, 1, cap - n - 1, f);
        n += got;
    }
    data[n] = 0;
    if (f != stdin)
        fclose(f);
    *size = n;
    return data;
}

static const struct gen_device *find_device(const char *name)
{
    char *end;
    unsigned long id = strtoul(name, &end, 0);
    if (!*end && id && id <= UINT16_MAX)
        return gen_device_by_id((uint16_t)id);
    return gen_device_by_name(name);
}

static void list_devices(void)
{
    const struct gen_device *d;
    for (unsigned i = 0; (d = gen_class_at(i)); i++)
        printf("%-12s Gen%u%s, %u EUs, %s\n", d->name, d->gen / 10, d->gen % 10 ? ".5" : "",
               d->eu_total, d->marketing);
}

static void print_info(const struct kbin *b)
{
    printf("%-32s %4s %6s %6s %6s %6s %5s %7s %7s %7s\n", "kernel", "simd", "insns", "sends",
           "spills", "fills", "push", "local", "private", "scratch");
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        const struct kbin_kernel *k = &b->kernels[i];
        printf("%-32s %4u %6u %6u %6u %6u %5u %7u %7u %7u\n", k->name, k->simd, k->n_insns,
               k->n_sends, k->n_spills, k->n_fills, k->n_push_regs, k->slm_size, k->private_size,
               k->scratch_size);
    }
}

/* One line an instruction: offset, text. */
static bool disassemble(const struct kbin *b)
{
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        const struct kbin_kernel *k = &b->kernels[i];
        printf("kernel %s: simd %u, %zu bytes\n", k->name, k->simd, k->code_size);
        uint32_t line = 0;
        for (size_t at = 0; at < k->code_size;) {
            if (line < k->n_lines && k->lines[line].offset <= at) {
                const struct kbin_line *l = &k->lines[line++];
                printf("        // %s:%u\n", k->files[l->file].name, l->line);
            }
            struct eu_insn insn;
            const char *why = "cut off";
            char text[512];
            unsigned n = eu_decode((int)b->gen, k->code + at, k->code_size - at, &insn, &why);
            if (!n) {
                printf("%06zx  not an instruction: %s\n", at, why);
                return false;
            }
            eu_print((int)b->gen, &insn, text, sizeof(text));
            printf("%06zx  %s\n", at, text);
            at += n;
        }
    }
    return true;
}

static bool read_binary(const char *path, struct kbin *b)
{
    size_t size;
    const char *why;
    char *data = read_file(path, &size);
    if (!data) {
        fail("can't read %s", path);
        return false;
    }
    if (!kbin_read(data, size, b, &why)) {
        fprintf(stderr, "beignet-cc: %s: %s\n", path, why);
        return false;
    }
    return true;
}

static int write_output(const char *path, const struct kbin *b)
{
    uint8_t *image;
    size_t size;
    const char *why;

    if (!kbin_write(b, &image, &size, &why))
        bug("inconsistent kernel binary: %s", why);
    FILE *f = fopen(path, "wbe");
    if (!f || fwrite(image, 1, size, f) != size || fclose(f))
        return fail("can't write %s", path);
    free(image);
    return 0;
}

static bool is_object(const char *data, size_t size)
{
    return size > 4 && !memcmp(data, "\177ELF", 4);
}

static bool is_spirv(const char *data, size_t size)
{
    return size > 4 && !memcmp(data, "\003\002\043\007", 4);
}

static int compile(const struct command *c)
{
    const struct gen_device *dev = find_device(c->device);
    struct cc_request r = {.options = c->options, .make_library = c->library};
    struct cc_blob *inputs = cc_alloc(c->n_files * sizeof(*inputs));
    struct cc_log log = {0};
    struct kbin out = {0};

    if (!dev)
        return fail("unknown device %s", c->device);
    for (unsigned i = 0; i < c->n_files; i++) {
        inputs[i].name = c->files[i];
        inputs[i].data = read_file(c->files[i], &inputs[i].size);
        if (!inputs[i].data)
            return fail("can't read %s", c->files[i]);
    }
    r.pci_id = dev->pci_id;
    if (is_object(inputs[0].data, inputs[0].size)) {
        r.kind = CC_LINK;
        r.inputs = inputs;
        r.n_inputs = c->n_files;
    } else if (c->n_files == 1) {
        r.kind = c->compile_only ? CC_COMPILE : CC_BUILD;
        if (is_spirv(inputs[0].data, inputs[0].size)) {
            r.il = inputs[0].data;
            r.il_size = inputs[0].size;
            r.il_translator = BEIGNET_LLVM_SPIRV;
        } else {
            r.source = inputs[0].data;
        }
    } else {
        return fail("%s", "one program at a time: compile several with -c, then link them");
    }
    llvm_setup();
    cc_set_dumps(c->dumps);
    enum cc_status s = cc_build(&r, &out, &log);
    if (log.text)
        fputs(log.text, stderr);
    if (s != CC_OK)
        return 1;
    if (c->info)
        print_info(&out);
    return c->output ? write_output(c->output, &out) : 0;
}

/* Arguments that aren't ours are build options; one with blanks is quoted again. */
static void add_option(struct command *c, const char *arg)
{
    char *quoted = cc_alloc(2 * strlen(arg) + 3), *p = quoted;
    *p++ = '"';
    for (; *arg; arg++) {
        if (*arg == '"' || *arg == '\\')
            *p++ = '\\';
        *p++ = *arg;
    }
    *p++ = '"';
    c->options = cc_printf("%s %s", c->options, quoted);
}

static const char *value_of(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) {
        fail("%s needs a value", argv[*i]);
        exit(2);
    }
    return argv[++*i];
}

int main(int argc, char **argv)
{
    struct command c = {.device = "skl-gt2", .options = ""};
    struct kbin b;

    c.files = cc_alloc((size_t)argc * sizeof(*c.files));
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--server")) {
            llvm_setup();
            return server_run(atoi(value_of(argc, argv, &i)));
        } else if (!strcmp(a, "--help") || !strcmp(a, "-h")) {
            fputs(usage, stdout);
            return 0;
        } else if (!strcmp(a, "--devices")) {
            list_devices();
            return 0;
        } else if (!strcmp(a, "--device")) {
            c.device = value_of(argc, argv, &i);
        } else if (!strcmp(a, "--disasm")) {
            c.disasm = value_of(argc, argv, &i);
        } else if (!strcmp(a, "--simd")) {
            codegen_prefer(atoi(value_of(argc, argv, &i)));
        } else if (!strcmp(a, "--info")) {
            c.info = true;
        } else if (!strcmp(a, "--library")) {
            c.library = true;
        } else if (!strcmp(a, "-c")) {
            c.compile_only = true;
        } else if (!strcmp(a, "-o")) {
            c.output = value_of(argc, argv, &i);
        } else if (!strcmp(a, "-d")) {
            c.dumps = value_of(argc, argv, &i);
        } else if (!strcmp(a, "-D") || !strcmp(a, "-I")) {
            add_option(&c, a);
            add_option(&c, value_of(argc, argv, &i));
        } else if (a[0] == '-' && a[1]) {
            add_option(&c, a);
        } else {
            c.files[c.n_files++] = a;
        }
    }
    if (c.disasm) {
        if (!read_binary(c.disasm, &b))
            return 1;
        return disassemble(&b) ? 0 : 1;
    }
    if (!c.n_files) {
        fputs(usage, stderr);
        return 2;
    }
    if (c.info && c.n_files == 1 && strlen(c.files[0]) > 4 &&
        !strcmp(c.files[0] + strlen(c.files[0]) - 4, ".bin")) {
        if (!read_binary(c.files[0], &b))
            return 1;
        print_info(&b);
        return 0;
    }
    return compile(&c);
}
