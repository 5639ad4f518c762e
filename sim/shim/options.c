#include "options.h"

#include "sim/hw/sabotage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ioctl_names[] = {
    "any",
#define IOCTL(name, request, access) #name,
#include "sim/i915/ioctl.def"
#undef IOCTL
};

/* The table's own name of an ioctl, whose "gem_" may be left out; NULL if there is none. */
static const char *ioctl_name(const char *name)
{
    for (size_t i = 0; i < sizeof ioctl_names / sizeof ioctl_names[0]; i++) {
        const char *full = ioctl_names[i];
        if (!strcmp(name, full) || (!strncmp(full, "gem_", 4) && !strcmp(name, full + 4)))
            return full;
    }
    return NULL;
}

enum { DEFAULT_INSN_LIMIT_BILLIONS = 50, DEFAULT_TRACE_LIMIT = 10000, HELP_COLUMN = 22 };

void options_default(struct i915_options *o)
{
    memset(o, 0, sizeof *o);
    o->dev = o->devs[0] = gen_device_by_name("skl-gt2");
    o->n_devs = 1;
    o->kernel.ppgtt = o->kernel.parser_version = -1;
    o->sim.trace_limit = DEFAULT_TRACE_LIMIT;
    o->sim.insn_limit = (uint64_t)DEFAULT_INSN_LIMIT_BILLIONS * 1000000000;
}

static bool number(const char *text, unsigned long long *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return !errno && end != text && !*end && text[0] != '-';
}

/* NAME[,NAME]... */
static bool set_device(struct i915_options *o, const char *v, const char **why)
{
    char copy[256], *save = NULL;
    unsigned n = 0;
    if (snprintf(copy, sizeof copy, "%s", v) >= (int)sizeof copy)
        copy[0] = 0;
    *why = "no such device (see --list-devices)";
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        unsigned long long id;
        const struct gen_device *d = gen_device_by_name(w);
        if (!d && !strncmp(w, "0x", 2) && number(w, &id) && id <= 0xffff)
            d = gen_device_by_id(id);
        if (n == I915_MAX_DEVICES)
            *why = "too many devices";
        if (!d || n == I915_MAX_DEVICES)
            return false;
        o->devs[n++] = d;
    }
    o->n_devs = n;
    o->dev = o->devs[0];
    return n;
}

/* [FORMAT][:FILE] */
static bool set_stats(struct i915_options *o, const char *v, const char **why)
{
    static const char *const formats[] = {
        [SIM_STATS_TABLE] = "table", [SIM_STATS_JSON] = "json", [SIM_STATS_HTML] = "html"};
    size_t n = v ? strcspn(v, ":") : 0;
    const char *file = v && v[n] ? v + n + 1 : NULL;
    unsigned f = SIM_STATS_TABLE;
    while (n && f <= SIM_STATS_HTML && (strlen(formats[f]) != n || strncmp(formats[f], v, n)))
        f++;
    *why = "wants [table|json|html][:FILE]";
    if (f > SIM_STATS_HTML || (file && !*file))
        return false;
    if (!file && f == SIM_STATS_HTML)
        file = "gensim-stats.html";
    o->sim.stats = true;
    o->sim.stats_format = (enum sim_stats)f;
    o->sim.stats_file = file ? strdup(file) : NULL; /* for the process's life */
    *why = "out of memory";
    return !file || o->sim.stats_file;
}

/* X,Y,Z or a number, of a group; the comma-separated numbers in [text, text + n). */
static bool set_group(struct sim_trace *t, const char *text, size_t n)
{
    char copy[64];
    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    unsigned k = 0;
    for (char *p = copy; p; k++) {
        char *comma = strchr(p, ',');
        unsigned long long v;
        if (comma)
            *comma++ = 0;
        if (k == 3 || !number(p, &v) || v > UINT32_MAX)
            return false;
        t->group[k] = (uint32_t)v;
        p = comma;
    }
    t->by_id = k > 1;
    return true;
}

/* [KERNEL[:GROUP[:THREAD]]] */
static bool set_trace(struct i915_options *o, const char *v, const char **why)
{
    struct sim_trace *t = &o->sim.trace_what;
    o->sim.trace_insns = true;
    o->sim.trace = o->trace = !v;
    if (!v)
        return true;
    *why =
        "wants KERNEL[:GROUP[:THREAD]]: a name, hash, 0xADDRESS or *; X,Y,Z or a number; a number";
    size_t kernel = strcspn(v, ":");
    const char *group = v[kernel] ? v + kernel + 1 : NULL;
    size_t n = group ? strcspn(group, ":") : 0;
    unsigned long long thread = 0;
    if (!kernel || kernel >= sizeof t->kernel || (group && !set_group(t, group, n)) ||
        (group && group[n] && (!number(group + n + 1, &thread) || thread > UINT32_MAX)))
        return false;
    memcpy(t->kernel, v, kernel);
    t->kernel[kernel] = 0;
    t->thread = (uint32_t)thread;
    return true;
}

static bool set_trace_limit(struct i915_options *o, const char *v, const char **why)
{
    unsigned long long n;
    *why = "wants a number of instructions (0: all)";
    if (!number(v, &n))
        return false;
    o->sim.trace_limit = n;
    return true;
}

static bool set_check(struct i915_options *o, const char *v, const char **why)
{
    o->sim.check = true;
    o->sim.check_stop = v != NULL;
    *why = "wants nothing, or stop";
    return !v || !strcmp(v, "stop");
}

/* IOCTL:N[+]:ERROR or hang:N, comma-separated. */
static bool set_fault(struct i915_options *o, const char *v, const char **why)
{
    static const struct {
        const char *name;
        int error;
    } errors[] = {{"ENOMEM", ENOMEM}, {"EINTR", EINTR},   {"EAGAIN", EAGAIN},
                  {"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EBUSY", EBUSY},
                  {"EFAULT", EFAULT}, {"EINVAL", EINVAL}, {"ENODEV", ENODEV}};
    char copy[512], *save = NULL;
    *why =
        "wants IOCTL:N:ERROR (IOCTL may be any, N+ means from then on) or hang:N, comma-separated";
    if (snprintf(copy, sizeof copy, "%s", v) >= (int)sizeof copy)
        return false;
    for (char *spec = strtok_r(copy, ",", &save); spec; spec = strtok_r(NULL, ",", &save)) {
        char *n = strchr(spec, ':'), *end;
        if (!n)
            return false;
        *n++ = 0;
        unsigned long long at = strtoull(n, &end, 10);
        bool onwards = *end == '+';
        end += onwards;
        if (end == n || at == 0)
            return false;
        if (!strcmp(spec, "hang")) {
            if (*end)
                return false;
            o->sim.hang_at_dispatch = at;
            continue;
        }
        const char *name = ioctl_name(spec);
        if (*end != ':' || !name || o->n_inject == sizeof o->inject / sizeof o->inject[0])
            return false;
        struct i915_inject *in = &o->inject[o->n_inject];
        *in = (struct i915_inject){.ioctl = name, .at = at, .onwards = onwards};
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
            if (!strcmp(end + 1, errors[i].name))
                in->error = errors[i].error;
        }
        if (!in->error)
            return false;
        o->n_inject++;
    }
    *why = NULL;
    return true;
}

static bool set_perturb(struct i915_options *o, const char *v, const char **why)
{
    unsigned long long n;
    if (!number(v, &n) || n > UINT32_MAX) {
        *why = "wants a number";
        return false;
    }
    o->sim.perturb = n;
    return true;
}

static bool set_sabotage(struct i915_options *o, const char *v, const char **why)
{
    uint32_t bit = sabotage_by_name(v);
    o->sim.sabotage |= bit;
    *why = "wants a name of sabotage.def";
    return bit != 0;
}

static bool set_hang_limit(struct i915_options *o, const char *v, const char **why)
{
    unsigned long long n;
    if (!number(v, &n)) {
        *why = "wants a number of instructions (0: none)";
        return false;
    }
    o->sim.insn_limit = n;
    return true;
}

static bool set_threads(struct i915_options *o, const char *v, const char **why)
{
    unsigned long long n;
    if (!number(v, &n) || n > 1024) {
        *why = "wants a number up to 1024 (0: all cores)";
        return false;
    }
    o->sim.n_host_threads = n;
    return true;
}

static bool set_delay(struct i915_options *o, const char *v, const char **why)
{
    unsigned long long n;
    if (!number(v, &n) || n > 60000) {
        *why = "wants milliseconds, up to 60000";
        return false;
    }
    o->delay_ms = n;
    return true;
}

static bool set_kernel(struct i915_options *o, const char *v, const char **why)
{
    char copy[256], *save = NULL;
    struct i915_kernel *k = &o->kernel;
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"nollc", &k->no_llc},           {"noquery", &k->no_query},
                 {"nosoftpin", &k->no_softpin},   {"norender", &k->no_render_node},
                 {"auth", &k->card_auth},         {"nouserptr", &k->no_userptr},
                 {"notopology", &k->no_topology}, {"nowait", &k->no_wait},
                 {"nol3", &o->sim.l3_locked},     {"nonodes", &k->no_nodes},
                 {"noaccess", &k->no_access},     {"noprime", &k->no_prime}};
    *why =
        "wants a list of nollc, noquery, nosoftpin, norender, auth, nouserptr, notopology, nowait, "
        "nol3, nonodes, noaccess, noprime, ppgtt=N, parser=N, id=N";
    if (snprintf(copy, sizeof copy, "%s", v) >= (int)sizeof copy)
        return false;
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        unsigned long long n;
        bool *flag = NULL;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            if (!strcmp(w, flags[i].name))
                flag = flags[i].flag;
        }
        if (flag)
            *flag = true;
        else if (!strncmp(w, "ppgtt=", 6) && number(w + 6, &n) && n <= 3)
            k->ppgtt = n;
        else if (!strncmp(w, "parser=", 7) && number(w + 7, &n) && n <= 10)
            k->parser_version = n;
        else if (!strncmp(w, "id=", 3) && number(w + 3, &n) && n <= 0xffff)
            k->pci_id = n;
        else
            return false;
    }
    *why = NULL;
    return true;
}

enum value { NO_VALUE, MAY_HAVE, NEEDS };

static const struct option {
    const char *name;
    enum value takes;
    const char *value; /* its name in the help */
    bool (*set)(struct i915_options *o, const char *value, const char **why);
    const char *help;
} options[] = {
    {"device", NEEDS, "NAME", set_device,
     "the simulated GPU: a name of --list-devices or a PCI id (0x1912); several with commas"},
    {"stats", MAY_HAVE, "FORMAT:FILE", set_stats,
     "what the EUs did, at the end: table, json or html"},
    {"trace", MAY_HAVE, "KERNEL:GROUP:THREAD", set_trace,
     "the instructions of a thread with their values; alone: ioctls and commands too"},
    {"trace-limit", NEEDS, "N", set_trace_limit,
     "instructions of a dispatch that --trace prints (10000; 0: all)"},
    {"check", MAY_HAVE, "stop", set_check,
     "report accesses out of bounds, unwritten values, races, divergent barriers"},
    {"fault", NEEDS, "SPEC", set_fault,
     "IOCTL:N[+]:ERROR (IOCTL or any) or hang:N, comma-separated"},
    {"perturb", NEEDS, "SEED", set_perturb, "undefined state holds garbage, order is shuffled"},
    {"hang-limit", NEEDS, "N", set_hang_limit,
     "EU instructions of a batch after which it counts as hung"},
    {"sabotage", NEEDS, "NAME", set_sabotage, "breaks a rule of the hardware; for tests only"},
    {"threads", NEEDS, "N", set_threads, "host threads for a dispatch (0: one a core)"},
    {"delay", NEEDS, "MS", set_delay, "every batch starts so much later"},
    {"kernel", NEEDS, "LIST", set_kernel,
     "another kernel: nollc noquery nosoftpin nouserptr notopology nowait nol3 norender auth "
     "nonodes noaccess noprime\n"
     "                      ppgtt=N parser=N, or PCI id: id=N"},
};

static const struct option *find(const char *name)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!strcmp(name, options[i].name))
            return &options[i];
    }
    return NULL;
}

int options_wants_value(const char *name)
{
    const struct option *opt = find(name);
    return !opt ? -1 : opt->takes == NEEDS;
}

bool options_set(struct i915_options *o, const char *name, const char *value, const char **why)
{
    const struct option *opt = find(name);
    if (!opt || (opt->takes == NEEDS && !value) || (opt->takes == NO_VALUE && value)) {
        *why = !opt ? "no such option (try --help)" : value ? "takes no value" : "needs a value";
        return false;
    }
    return opt->set(o, value, why);
}

bool options_watches(const struct i915_options *o)
{
    return o->sim.stats || o->sim.trace_insns || o->sim.check;
}

void options_help(void)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *opt = &options[i];
        char text[64];
        snprintf(text, sizeof text, "  --%s%s%s%s", opt->name,
                 opt->takes == NEEDS      ? " "
                 : opt->takes == MAY_HAVE ? "[="
                                          : "",
                 opt->value, opt->takes == MAY_HAVE ? "]" : "");
        if (strlen(text) >= HELP_COLUMN - 1)
            printf("%s\n%*s%s\n", text, HELP_COLUMN, "", opt->help);
        else
            printf("%-*s%s\n", HELP_COLUMN, text, opt->help);
    }
}

bool options_parse(struct i915_options *o, const char *text, const char **why)
{
    while (*text) {
        char line[1024];
        size_t n = strcspn(text, "\n");
        if (n >= sizeof line) {
            *why = "option too long";
            return false;
        }
        memcpy(line, text, n);
        line[n] = 0;
        text += n + (text[n] == '\n');
        char *value = strchr(line, '=');
        if (value)
            *value++ = 0;
        if (n && !options_set(o, line, value, why))
            return false;
    }
    return true;
}
