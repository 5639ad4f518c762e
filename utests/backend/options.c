/* Option strings: what the API accepts, what each option becomes for Clang, what is an error and of
 * which kind. */
#include "backend/cc.h"
#include "utest.h"

static struct cc_options opt;

static enum cc_status parse(const char *text, enum ccproto_kind kind)
{
    struct cc_log log = {0};
    enum cc_status s = options_parse(text, kind, &opt, &log);
    CHECKF((s == CC_OK) == !log.failed, "'%s': status %d, log %s", text, s, log.text);
    return s;
}

/* The arguments, joined by '|', but for the language version at the end. */
static const char *args(void)
{
    const char *all = "";
    for (unsigned i = 0; i < opt.n_front_args; i++) {
        if (strncmp(opt.front_args[i], "-cl-std=", 8))
            all = cc_printf("%s%s%s", all, *all ? "|" : "", opt.front_args[i]);
    }
    return all;
}

static void becomes(const char *text, const char *expected)
{
    CHECKF(parse(text, CC_BUILD) == CC_OK, "'%s'", text);
    CHECKF(!strcmp(args(), expected), "'%s' gives '%s', not '%s'", text, args(), expected);
}

static void tokens(void)
{
    becomes("", "");
    becomes("  \t ", "");
    becomes("-D X", "-D|X");
    becomes("-DX", "-D|X");
    becomes("-DX=1 -D Y=2", "-D|X=1|-D|Y=2");
    becomes("-D \"X=a b\"", "-D|X=a b");
    becomes("-DX=\"a b\" -w", "-D|X=a b|-w");
    becomes("-D X=\\\"text\\\"", "-D|X=\"text\"");
    becomes("-D X='a \"b\"'", "-D|X=a \"b\"");
    becomes("-I /a/b -I\"c d\"", "-I|/a/b|-I|c d");
    becomes("-D A\\ B", "-D|A B");
    CHECK(parse(NULL, CC_BUILD) == CC_OK && opt.cl_std == 120);
}

static void flags(void)
{
    CHECK(parse("-cl-fast-relaxed-math", CC_BUILD) == CC_OK);
    CHECK(opt.fast_relaxed && opt.unsafe_math && opt.finite_math && opt.no_signed_zeros);
    CHECK(opt.mad_enable && !opt.opt_disable);
    CHECK(parse("-cl-mad-enable", CC_BUILD) == CC_OK && opt.mad_enable && !opt.unsafe_math);
    CHECK(parse("-cl-opt-disable -g", CC_BUILD) == CC_OK && opt.opt_disable && opt.debug);
    becomes("-cl-opt-disable -cl-denorms-are-zero -g", "");
    becomes("-cl-kernel-arg-info -Werror", "-cl-kernel-arg-info|-Werror");
    CHECK(opt.arg_info && opt.werror);
    becomes("-cl-single-precision-constant -cl-finite-math-only",
            "-cl-single-precision-constant|-cl-finite-math-only");
}

static void standards(void)
{
    CHECK(parse("-cl-std=CL1.0", CC_BUILD) == CC_OK && opt.cl_std == 100);
    CHECK(!strcmp(opt.front_args[0], "-cl-std=CL1.0"));
    CHECK(parse("-cl-std=CL1.1", CC_BUILD) == CC_OK && opt.cl_std == 110);
    CHECK(parse("-cl-std=CL1.2", CC_BUILD) == CC_OK && opt.cl_std == 120);
    CHECK(parse("-cl-std=CL2.0", CC_BUILD) == CC_OK && opt.cl_std == 200);
    CHECK(parse("-cl-std=CL3.0", CC_BUILD) == CC_OK && opt.cl_std == 300);
    CHECK(!strcmp(opt.front_args[0], "-cl-std=CL3.0"));
    CHECK(parse("-cl-std=CL3.1", CC_BUILD) == CC_BUILD_FAILED);
    CHECK(parse("-cl-std=C99", CC_BUILD) == CC_INVALID_OPTIONS);
    CHECK(parse("-cl-std=", CC_BUILD) == CC_INVALID_OPTIONS);
}

static void invalid(void)
{
    static const char *const bad[] = {
        "-O2",
        "-x cl",
        "-load evil.so",
        "-o out",
        "-D",
        "-I",
        "-D \"X",
        "-cl-mad-enablex",
        "file.cl",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-Xclang -load",
        "@file",
        "-fplugin=x",
        "-create-library",
        "-cl-nv-verbose",
        "-D ''",
    };
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECKF(parse(bad[i], CC_BUILD) == CC_INVALID_OPTIONS, "'%s'", bad[i]);
}

static void link_options(void)
{
    CHECK(parse("-create-library", CC_LINK) == CC_OK && opt.create_library);
    CHECK(parse("-create-library -enable-link-options -cl-finite-math-only", CC_LINK) == CC_OK);
    CHECK(parse("-enable-link-options", CC_LINK) == CC_INVALID_OPTIONS);
    CHECK(parse("-cl-denorms-are-zero -cl-no-signed-zeros -cl-unsafe-math-optimizations "
                "-cl-finite-math-only -cl-fast-relaxed-math",
                CC_LINK) == CC_OK);
    CHECK(opt.n_front_args == 0);
    CHECK(parse("-D X", CC_LINK) == CC_INVALID_OPTIONS);
    CHECK(parse("-cl-std=CL1.2", CC_LINK) == CC_INVALID_OPTIONS);
    CHECK(parse("-w", CC_LINK) == CC_INVALID_OPTIONS);
    CHECK(parse("-create-library", CC_COMPILE) == CC_INVALID_OPTIONS);
}

int main(void)
{
    tokens();
    flags();
    standards();
    invalid();
    link_options();
    return utest_end();
}
