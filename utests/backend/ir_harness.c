#include "ir_harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1);
    *size = 0;
    if (!f)
        return text;
    for (int c; (c = fgetc(f)) != EOF;) {
        if ((*size & (*size + 1)) == 0)
            text = realloc(text, *size * 2 + 4);
        text[(*size)++] = (char)c;
        text[*size] = 0;
    }
    fclose(f);
    return text;
}

/* Cuts the dumps apart: each function begins with a line "fn ..." and ends before a line that the
 * text form can't have. */
static void take_functions(struct harness_program *p, const char *text,
                           const struct gen_device *dev)
{
    for (const char *at = text; at && *at;) {
        const char *end = strchr(at, '\n');
        if (strncmp(at, "fn ", 3)) {
            at = end ? end + 1 : NULL;
            continue;
        }
        const char *stop = end;
        while (stop && stop[1] &&
               (stop[1] == ' ' || stop[1] == 'b' || !strncmp(stop + 1, "param ", 6) ||
                !strncmp(stop + 1, "surface ", 8) || !strncmp(stop + 1, "array ", 6)))
            stop = strchr(stop + 1, '\n');
        char *copy = stop ? strndup(at, (size_t)(stop + 1 - at)) : strdup(at);
        const char *why = "";
        struct ir_fn *fn = ir_parse(copy, dev, &why);
        if (!fn || (why = ir_check(fn)))
            fprintf(stderr, "dump does not parse: %s\n", why);
        else if (p->n_kernels < 32)
            p->fn[p->n_kernels++] = fn;
        free(copy);
        at = stop ? stop + 1 : NULL;
    }
}

bool harness_compile(const char *source, const char *device, const char *options,
                     struct harness_program *out)
{
    char dir[] = "/tmp/ir-harness-XXXXXX", path[64], log[64], bin[64], command[1024];
    const struct gen_device *dev = gen_device_by_name(device);
    size_t size;
    memset(out, 0, sizeof *out);
    if (!mkdtemp(dir))
        return false;
    snprintf(path, sizeof path, "%s/in.cl", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    snprintf(bin, sizeof bin, "%s/out", dir);
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(source, f);
        fclose(f);
    }
    snprintf(command, sizeof command,
             "'%s/backend/beignet-cc' --device %s %s -d ir,iropt -o %s %s >%s 2>&1", BINARY_DIR,
             device, options, bin, path, log);
    int status = system(command);
    out->log = read_file(log, &size);
    take_functions(out, out->log, dev);
    uint8_t *image = (uint8_t *)read_file(bin, &size);
    struct kbin k;
    const char *why;
    if (size && kbin_read(image, size, &k, &why)) {
        out->constants = k.constants;
        out->constants_size = k.constants_size;
        k.constants = NULL;
        out->relocs = k.relocs;
        out->n_relocs = k.n_relocs;
        k.relocs = NULL;
        kbin_fini(&k);
    }
    free(image);
    unlink(path);
    unlink(log);
    unlink(bin);
    rmdir(dir);
    if (status != 0 || !out->n_kernels)
        fprintf(stderr, "%s: beignet-cc: status %d:\n%.2000s\n", device, status, out->log);
    return status == 0 && out->n_kernels;
}

const struct ir_fn *harness_find(const struct harness_program *p, const char *name, bool optimised)
{
    const struct ir_fn *found = NULL;
    for (unsigned i = 0; i < p->n_kernels; i++)
        if (!strcmp(p->fn[i]->name, name)) {
            found = p->fn[i];
            if (!optimised)
                break;
        }
    return found;
}

struct launch {
    const struct harness_program *p;
    const struct ir_fn *fn;
    const struct harness_arg *args;
    uint64_t address[INTERP_MAX_BUFFERS]; /* by argument */
    uint32_t local_offset[INTERP_MAX_BUFFERS];
    const unsigned *global, *local;
    uint64_t constants_address;
};

static void fill_param(const struct launch *x, const struct kbin_param *row, uint8_t *to)
{
    unsigned d = row->index;
    uint64_t v = 0;
    switch ((enum kbin_param_kind)row->kind) {
    case KBIN_PARAM_ARG:
        if ((size_t)row->src + row->size <= x->args[d].size)
            memcpy(to, (uint8_t *)x->args[d].data + row->src, row->size);
        return;
    case KBIN_PARAM_ARG_ADDRESS:
        v = x->args[d].data ? x->address[d] : 0;
        break;
    case KBIN_PARAM_ARG_LOCAL:
        v = x->local_offset[d];
        break;
    case KBIN_PARAM_ARG_SIZE:
        v = x->args[d].size;
        break;
    case KBIN_PARAM_CONSTANTS:
        v = x->constants_address;
        break;
    case KBIN_PARAM_GLOBAL_SIZE:
        v = x->global[d];
        break;
    case KBIN_PARAM_LOCAL_SIZE:
    case KBIN_PARAM_ENQUEUED_LOCAL_SIZE:
        v = x->local[d];
        break;
    case KBIN_PARAM_NUM_GROUPS:
        v = x->global[d] / x->local[d];
        break;
    case KBIN_PARAM_WORK_DIM:
        v = x->global[2] > 1 ? 3 : x->global[1] > 1 ? 2 : 1;
        break;
    case KBIN_PARAM_PRIVATE_SIZE:
        v = x->fn->out->private_size;
        break;
    default:
        break; /* offsets: 0 */
    }
    memcpy(to, &v, row->size < 8 ? row->size : 8);
}

static bool run_group(const struct launch *x, const unsigned group[3],
                      struct interp_buffer *private, uint64_t *n_insns)
{
    static struct interp in;
    const struct kbin_kernel *k = x->fn->out;
    memset(&in, 0, sizeof in);
    in.fn = x->fn;
    in.check_uniform = true;
    for (uint32_t i = 0; i < k->n_params; i++)
        fill_param(x, &k->params[i], &in.push[k->params[i].offset]);
    unsigned n_memory = 0;
    for (uint32_t i = 0; i < k->n_surfaces; i++) {
        unsigned a = k->surfaces[i].index;
        if (k->surfaces[i].kind == KBIN_SURFACE_ARG)
            in.surface[i] =
                (struct interp_buffer){x->args[a].data, x->args[a].data ? x->args[a].size : 0, 0};
        else if (k->surfaces[i].kind == KBIN_SURFACE_CONSTANTS)
            in.surface[i] = (struct interp_buffer){x->p->constants, x->p->constants_size, 0};
        else if (k->surfaces[i].kind == KBIN_SURFACE_PRIVATE)
            in.surface[i] = *private;
    }
    for (unsigned a = 0; a < INTERP_MAX_BUFFERS - 1; a++)
        if (x->address[a])
            in.memory[n_memory++] =
                (struct interp_buffer){x->args[a].data, x->args[a].size, x->address[a]};
    in.memory[n_memory] =
        (struct interp_buffer){x->p->constants, x->p->constants_size, x->constants_address};
    for (unsigned z = 0; z < x->local[2]; z++)
        for (unsigned y = 0; y < x->local[1]; y++)
            for (unsigned w = 0; w < x->local[0]; w++) {
                in.local_id[0][in.n_lanes] = w;
                in.local_id[1][in.n_lanes] = y;
                in.local_id[2][in.n_lanes++] = z;
            }
    memcpy(in.group_id, group, sizeof in.group_id);
    bool ok = interp_run(&in);
    if (!ok)
        fprintf(stderr, "%s: %s\n", x->fn->name, in.error);
    *n_insns += in.n_insns;
    return ok;
}

uint64_t harness_run(const struct harness_program *p, const struct ir_fn *fn,
                     const struct harness_arg *args, const unsigned global[3],
                     const unsigned local[3])
{
    struct launch x = {.p = p, .fn = fn, .args = args, .global = global, .local = local};
    bool wide = fn->dev->pointer_bits == 64;
    uint64_t at = wide ? 0x123400000ull : 0x3fff0000, n = 0;
    uint32_t slm = fn->out->slm_size;
    unsigned n_args = 0;
    while (n_args < INTERP_MAX_BUFFERS - 1 && (args[n_args].size || args[n_args].data))
        n_args++;
    for (unsigned a = 0; a < n_args; a++) {
        if (args[a].kind == ARG_BUFFER && args[a].data) {
            x.address[a] = at;
            at += (args[a].size + 0xfff) & ~(size_t)0xfff;
        } else if (args[a].kind == ARG_LOCAL) {
            slm = (slm + 127) & ~127u;
            x.local_offset[a] = slm;
            slm += (uint32_t)args[a].size;
        }
    }
    x.constants_address = wide ? 0xfffffff0ull : 0x20000;
    for (uint32_t i = 0; i < p->n_relocs; i++) {
        uint64_t to = x.constants_address + p->relocs[i].addend;
        memcpy(p->constants + p->relocs[i].offset, &to, wide ? 8 : 4);
    }
    struct interp_buffer private = {.size = (size_t)fn->out->private_size * INTERP_MAX_LANES};
    private.data = malloc(private.size + 1);
    memset(private.data, 0xcd, private.size + 1);
    bool ok = local[0] * local[1] * local[2] <= INTERP_MAX_LANES;
    for (unsigned z = 0; z < global[2] / local[2]; z++)
        for (unsigned y = 0; y < global[1] / local[1]; y++)
            for (unsigned w = 0; w < global[0] / local[0] && ok; w++)
                ok = run_group(&x, (unsigned[]){w, y, z}, &private, &n);
    free(private.data);
    return ok ? n : 0;
}
