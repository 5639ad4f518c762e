/* The option string of clBuildProgram, clCompileProgram, clLinkProgram: tokens, a white list, and
 * what each means. No text of the user reaches cc1 but names after -D and -I. */
#include "backend/cc.h"

#include <string.h>

enum {
    BUILD = 1 << CC_BUILD,
    COMPILE = 1 << CC_COMPILE,
    LINK = 1 << CC_LINK,
    SOURCE = BUILD | COMPILE,
    ALL = SOURCE | LINK
};

/* offset of the bool in struct cc_options; cc1: the argument for Clang, NULL if there is none */
struct option {
    const char *name;
    unsigned kinds;
    size_t flag;
    const char *cc1;
};
#define FLAG(member) offsetof(struct cc_options, member)
enum { NO_FLAG = sizeof(struct cc_options) };

static const struct option options[] = {
    {"-cl-single-precision-constant", SOURCE, FLAG(single_precision),
     "-cl-single-precision-constant"},
    {"-cl-denorms-are-zero", ALL, FLAG(denorms_zero), NULL}, /* they always are */
    {"-cl-opt-disable", SOURCE, FLAG(opt_disable), NULL},
    {"-cl-strict-aliasing", SOURCE, FLAG(strict_aliasing), "-cl-strict-aliasing"},
    {"-cl-uniform-work-group-size", SOURCE, FLAG(uniform_wg), "-cl-uniform-work-group-size"},
    {"-cl-no-subgroup-ifp", ALL, NO_FLAG, NULL},
    {"-cl-mad-enable", SOURCE, FLAG(mad_enable), "-cl-mad-enable"},
    {"-cl-no-signed-zeros", ALL, FLAG(no_signed_zeros), "-cl-no-signed-zeros"},
    {"-cl-unsafe-math-optimizations", ALL, FLAG(unsafe_math), "-cl-unsafe-math-optimizations"},
    {"-cl-finite-math-only", ALL, FLAG(finite_math), "-cl-finite-math-only"},
    {"-cl-fast-relaxed-math", ALL, FLAG(fast_relaxed), "-cl-fast-relaxed-math"},
    {"-cl-kernel-arg-info", SOURCE, FLAG(arg_info), "-cl-kernel-arg-info"},
    {"-w", SOURCE, FLAG(no_warn), "-w"},
    {"-Werror", SOURCE, FLAG(werror), "-Werror"},
    {"-g", ALL, FLAG(debug), NULL},
    {"-create-library", LINK, FLAG(create_library), NULL},
    {"-enable-link-options", LINK, FLAG(link_options), NULL},
};

static const struct {
    const char *name;
    unsigned version;
} standards[] = {{"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120}, {"CL2.0", 200}, {"CL3.0", 300}};

/* One token: blanks separate, quotes keep them, a backslash keeps the next character. NULL at the
 * end. */
static char *next_token(const char **p, bool *broken)
{
    const char *s = *p;
    char quote = 0, *out;
    size_t n = 0;

    s += strspn(s, " \t\r\n");
    if (!*s)
        return NULL;
    out = cc_alloc(strlen(s) + 1);
    for (; *s && (quote || !strchr(" \t\r\n", *s)); s++) {
        if (*s == '\\' && s[1] && quote != '\'') {
            out[n++] = *++s;
        } else if (quote ? *s == quote : *s == '"' || *s == '\'') {
            quote = quote ? 0 : *s;
        } else {
            out[n++] = *s;
        }
    }
    *broken |= quote != 0;
    *p = s;
    return out;
}

static void add_arg(struct cc_options *out, const char *arg)
{
    /* grows rarely: in steps of 16 */
    if (out->n_front_args % 16 == 0)
        out->front_args = cc_grow(out->front_args, out->n_front_args * sizeof(char *),
                                  (out->n_front_args + 16) * sizeof(char *));
    out->front_args[out->n_front_args++] = (char *)arg;
}

static enum cc_status invalid(struct cc_log *log, const char *what, const char *token)
{
    cc_error(log, NULL, "%s '%s'", what, token);
    return CC_INVALID_OPTIONS;
}

/* -D and -I, the value in the same token or in the next. */
static enum cc_status value_option(char *token, const char **p, struct cc_options *out,
                                   struct cc_log *log)
{
    bool broken = false;
    char *value = token[2] ? token + 2 : next_token(p, &broken);
    if (!value || !*value || broken)
        return invalid(log, "missing value after build option", token);
    add_arg(out, token[1] == 'D' ? "-D" : "-I");
    add_arg(out, value);
    return CC_OK;
}

static enum cc_status standard_option(const char *version, struct cc_options *out,
                                      struct cc_log *log)
{
    for (unsigned i = 0; i < sizeof(standards) / sizeof(standards[0]); i++) {
        if (!strcmp(version, standards[i].name)) {
            out->cl_std = standards[i].version;
            return CC_OK;
        }
    }
    if (!strncmp(version, "CL", 2) && strspn(version + 2, "0123456789.") == strlen(version + 2)) {
        cc_error(log, NULL,
                 "the device has OpenCL C 1.2, 3.0 and parts of 2.0: -cl-std=%s isn't supported",
                 version);
        return CC_BUILD_FAILED;
    }
    return invalid(log, "unknown build option", version);
}

static enum cc_status flag_option(const char *token, enum ccproto_kind kind, struct cc_options *out,
                                  struct cc_log *log)
{
    if (!strcmp(token, "-cl-fp32-correctly-rounded-divide-sqrt"))
        return invalid(log, "the device doesn't have what is asked for by", token);
    for (unsigned i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const struct option *o = &options[i];
        if (strcmp(token, o->name))
            continue;
        if (!(o->kinds & 1u << kind))
            return invalid(log, "build option not allowed here:", token);
        if (o->flag != NO_FLAG)
            *(bool *)((char *)out + o->flag) = true;
        if (o->cc1 && kind != CC_LINK)
            add_arg(out, o->cc1);
        return CC_OK;
    }
    return invalid(log, "unknown build option", token);
}

enum cc_status options_parse(const char *text, enum ccproto_kind kind, struct cc_options *out,
                             struct cc_log *log)
{
    const char *p = text ? text : "";
    char *token;
    bool broken = false;

    *out = (struct cc_options){.cl_std = 120};
    while ((token = next_token(&p, &broken))) {
        enum cc_status s;
        if (broken)
            return invalid(log, "unbalanced quotes in build option", token);
        if (kind != CC_LINK && (!strncmp(token, "-D", 2) || !strncmp(token, "-I", 2)))
            s = value_option(token, &p, out, log);
        else if (kind != CC_LINK && !strncmp(token, "-cl-std=", 8))
            s = standard_option(token + 8, out, log);
        else
            s = flag_option(token, kind, out, log);
        if (s != CC_OK)
            return s;
    }
    if (out->link_options && !out->create_library)
        return invalid(log, "only with -create-library:", "-enable-link-options");
    if (kind != CC_LINK)
        add_arg(out, cc_printf("-cl-std=CL%u.%u", out->cl_std / 100, out->cl_std / 10 % 10));

    /* what the stronger options include */
    out->unsafe_math |= out->fast_relaxed;
    out->finite_math |= out->fast_relaxed;
    out->no_signed_zeros |= out->unsafe_math;
    out->mad_enable |= out->unsafe_math;
    return CC_OK;
}
