/* gensim: runs a program with a simulated GPU. It makes the tree of files that stands for the
 * device in /dev and /sys, preloads libgensim.so, waits for the program and removes the tree. */
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef GENSIM_LIBDIR
#define GENSIM_LIBDIR "lib"
#endif

enum { EXIT_USAGE = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static char root[PATH_MAX];     /* of the tree; empty = none */
static struct sim_tally *tally; /* mapped from the tree; NULL: nobody watches */

/* ---- the tree ---- */
static bool make_path(char *out, const char *path)
{
    return snprintf(out, PATH_MAX, "%s/%s", root, path) < PATH_MAX;
}

/* Makes the folders that a path of the tree needs. */
static bool make_parents(const char *path)
{
    char full[PATH_MAX];
    if (!make_path(full, path))
        return false;
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        if (mkdir(full, 0755) != 0 && errno != EEXIST)
            return false;
        *p = '/';
    }
    return true;
}

static bool make_data(const char *path, const void *data, size_t size)
{
    char full[PATH_MAX];
    if (!make_parents(path) || !make_path(full, path))
        return false;
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && write(fd, data, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return ok;
}

__attribute__((format(printf, 2, 3))) static bool make_file(const char *path, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return n >= 0 && n < (int)sizeof text && make_data(path, text, n);
}

static bool make_link(const char *path, const char *to)
{
    char full[PATH_MAX];
    return make_parents(path) && make_path(full, path) && symlink(to, full) == 0;
}

enum { REVISION = 6, SUBSYSTEM_VENDOR = 0x8086, SUBSYSTEM_DEVICE = 0x2015, FIRST_SLOT = 2 };

/* The folder of device i in /sys, without /sys; its slots follow one another. */
static const char *pci_folder(unsigned i)
{
    static char path[64];
    snprintf(path, sizeof path, "devices/pci0000:00/0000:00:%02x.0", FIRST_SLOT + i);
    return path;
}

/* One node of device i: /dev/dri/NAME, its folder below the device, and the links of /sys that lead
 * there. */
static bool make_node(unsigned i, bool render)
{
    char path[256], to[256], name[32], folder[128];
    unsigned minor = render ? 128 + i : i;
    snprintf(name, sizeof name, "%s%u", render ? "renderD" : "card", minor);
    snprintf(folder, sizeof folder, "%s/drm/%s", pci_folder(i), name);
    snprintf(path, sizeof path, "dev/dri/%s", name);
    bool ok = make_data(path, "", 0);
    snprintf(path, sizeof path, "dev/dri/by-path/pci-0000:00:%02x.0-%s", FIRST_SLOT + i,
             render ? "render" : "card");
    snprintf(to, sizeof to, "../%s", name);
    ok = ok && make_link(path, to);
    snprintf(path, sizeof path, "sys/%s/dev", folder);
    ok = ok && make_file(path, "226:%u\n", minor);
    snprintf(path, sizeof path, "sys/%s/uevent", folder);
    ok = ok &&
         make_file(path, "MAJOR=226\nMINOR=%u\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", minor, name);
    snprintf(path, sizeof path, "sys/%s/device", folder);
    ok = ok && make_link(path, "../..");
    snprintf(path, sizeof path, "sys/%s/gt_max_freq_mhz", folder);
    ok = ok && (render || make_file(path, "1150\n"));
    snprintf(path, sizeof path, "sys/dev/char/226:%u", minor);
    snprintf(to, sizeof to, "../../%s", folder);
    ok = ok && make_link(path, to);
    snprintf(path, sizeof path, "sys/class/drm/%s", name);
    return ok && make_link(path, to);
}

/* A file of device i's folder. */
__attribute__((format(printf, 3, 4))) static bool make_pci_file(unsigned i, const char *name,
                                                                const char *fmt, ...)
{
    char path[128], text[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(path, sizeof path, "sys/%s/%s", pci_folder(i), name);
    return n >= 0 && n < (int)sizeof text && make_data(path, text, (size_t)n);
}

static bool make_pci(unsigned i, uint16_t id)
{
    uint8_t config[256] = {0x86, 0x80, id & 0xff, id >> 8};
    char path[128], to[128];
    config[8] = REVISION;
    config[11] = 0x03; /* display controller, VGA */
    config[0x2c] = SUBSYSTEM_VENDOR & 0xff;
    config[0x2d] = SUBSYSTEM_VENDOR >> 8;
    config[0x2e] = SUBSYSTEM_DEVICE & 0xff;
    config[0x2f] = SUBSYSTEM_DEVICE >> 8;
    bool ok =
        make_pci_file(i, "vendor", "0x8086\n") && make_pci_file(i, "device", "0x%04x\n", id) &&
        make_pci_file(i, "subsystem_vendor", "0x%04x\n", SUBSYSTEM_VENDOR) &&
        make_pci_file(i, "subsystem_device", "0x%04x\n", SUBSYSTEM_DEVICE) &&
        make_pci_file(i, "revision", "0x%02x\n", REVISION) &&
        make_pci_file(i, "class", "0x030000\n") &&
        make_pci_file(i, "uevent",
                      "DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
                      "PCI_SLOT_NAME=0000:00:%02x.0\n",
                      id, SUBSYSTEM_VENDOR, SUBSYSTEM_DEVICE, FIRST_SLOT + i) &&
        /* Line 3 is BAR2, the aperture: 256 MiB. */
        make_pci_file(i, "resource",
                      "0x00000000f6000000 0x00000000f6ffffff 0x0000000000140204\n"
                      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                      "0x00000000e0000000 0x00000000efffffff 0x000000000014220c\n"
                      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                      "0x000000000000f000 0x000000000000f03f 0x0000000000040101\n"
                      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n");
    snprintf(path, sizeof path, "sys/%s/config", pci_folder(i));
    ok = ok && make_data(path, config, sizeof config);
    snprintf(path, sizeof path, "sys/%s/subsystem", pci_folder(i));
    ok = ok && make_link(path, "../../../bus/pci");
    snprintf(path, sizeof path, "sys/%s/driver", pci_folder(i));
    ok = ok && make_link(path, "../../../bus/pci/drivers/i915");
    snprintf(path, sizeof path, "sys/bus/pci/devices/0000:00:%02x.0", FIRST_SLOT + i);
    snprintf(to, sizeof to, "../../../%s", pci_folder(i));
    return ok && make_link(path, to);
}

/* What --stats, --trace and --check need: a folder for symbols, and counters for all processes. */
static bool make_watch(void)
{
    static const struct sim_tally zero;
    char path[PATH_MAX];
    if (!make_parents(GENSIM_SYMBOLS "/") || !make_data(GENSIM_TALLY, &zero, sizeof zero) ||
        !make_path(path, GENSIM_TALLY))
        return false;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *p =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof zero, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    tally = p == MAP_FAILED ? NULL : p;
    return tally;
}

static bool make_tree(const struct i915_options *opt)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/gensim-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(root)) {
        fprintf(stderr, "gensim: %s: %s\n", root, strerror(errno));
        root[0] = 0;
        return false;
    }
    bool ok = make_file("sys/bus/pci/drivers/i915/module", "i915\n") &&
              (!options_watches(opt) || make_watch());
    for (unsigned i = 0; ok && i < opt->n_devs; i++) {
        ok = make_pci(i, opt->kernel.pci_id ? opt->kernel.pci_id : opt->devs[i]->pci_id) &&
             (opt->kernel.no_nodes || make_node(i, false)) &&
             (opt->kernel.no_nodes || opt->kernel.no_render_node || make_node(i, true));
    }
    if (!ok)
        fprintf(stderr, "gensim: can't make the device's files in %s: %s\n", root, strerror(errno));
    return ok;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static void remove_tree(void)
{
    if (root[0])
        nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- the library ---- */
/* Beside the command (a build) or where an installation has it. */
static bool find_library(char *out)
{
    static const char *const places[] = {
        "libgensim.so", "../" GENSIM_LIBDIR "/beignet/libgensim.so", "../lib/beignet/libgensim.so",
        "../" GENSIM_LIBDIR "/libgensim.so", "../lib/libgensim.so"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        if (access(path, R_OK) == 0 && realpath(path, out))
            return true;
    }
    return false;
}

/* ---- the command line ---- */
static void list_devices(void)
{
    printf("%-10s %-7s %3s %9s %4s %8s %7s  %s\n", "name", "id", "gen", "subslices", "EUs",
           "threads", "L3 KiB", "part");
    for (unsigned i = 0;; i++) {
        const struct gen_device *d = gen_class_at(i);
        if (!d)
            return;
        printf("%-10s 0x%04x  %d.%d %9u %4u %8u %7u  %s (%s)\n", d->name, d->pci_id, d->gen / 10,
               d->gen % 10, d->subslices, d->eu_total, d->hw_threads, d->l3_kib, d->marketing,
               d->codename);
    }
}

static void help(void)
{
    printf("usage: gensim [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
           "Runs a program with a simulated Intel GPU (an i915 device node, Gen7 to Gen9).\n\n");
    options_help();
    printf("  --list-devices       the names of the devices\n"
           "  --help               this text\n\n"
           "A value in brackets may be left out, with its '='. The default device is skl-gt2.\n"
           "The exit status is the program's, or 3 if --check has found something and the program\n"
           "succeeded; 125 to 127 are gensim's own. gensim(1) tells more.\n");
}

/* Appends an option to the text for the library. The program may change its folder: file names are
 * made absolute. False: no room. */
static bool add_option(char *env, size_t env_size, size_t *used, const char *name,
                       const char *value)
{
    char cwd[PATH_MAX] = "";
    const char *file = value && !strcmp(name, "stats") ? strchr(value, ':') : NULL;
    int n;
    if (file && file[1] != '/' && getcwd(cwd, sizeof cwd))
        n = snprintf(env + *used, env_size - *used, "%s=%.*s:%s/%s\n", name, (int)(file - value),
                     value, cwd, file + 1);
    else
        n = snprintf(env + *used, env_size - *used, "%s%s%s\n", name, value ? "=" : "",
                     value ? value : "");
    if (n < 0 || (size_t)n >= env_size - *used) {
        fprintf(stderr, "gensim: too many options\n");
        return false;
    }
    *used += n;
    return true;
}

/* Reads the options; the text for the library grows in env. Returns the index of PROGRAM, or -1. */
static int read_options(int argc, char **argv, struct i915_options *opt, char *env, size_t env_size)
{
    size_t used = 0;
    for (int i = 1; i < argc; i++) {
        const char *why = NULL;
        char name[64];
        if (!strcmp(argv[i], "--"))
            return i + 1;
        if (strncmp(argv[i], "--", 2) != 0)
            return i;
        /* --stats:FILE has its value at the colon. */
        size_t n = strcspn(argv[i], "=:") - 2;
        const char *value = argv[i][n + 2] ? argv[i] + n + 2 : NULL;
        snprintf(name, sizeof name, "%.*s", (int)n, argv[i] + 2);
        if (value && *value == '=')
            value++;
        else if (!value && options_wants_value(name) == 1 && i + 1 < argc)
            value = argv[++i];
        if (!options_set(opt, name, value, &why)) {
            fprintf(stderr, "gensim: --%s%s%s: %s\n", name, value ? " " : "", value ? value : "",
                    why);
            return -1;
        }
        if (value && !strcmp(value, "html") && !strcmp(name, "stats"))
            value = "html:gensim-stats.html";
        if (!add_option(env, env_size, &used, name, value))
            return -1;
    }
    return argc;
}

/* What --check has found. Returns the exit status. */
static int sum_up(int status)
{
    static const char *const kinds[CHECK_N_KINDS] = {
#define CHECK(kind, text) text,
#include "sim/hw/check.def"
#undef CHECK
    };
    uint64_t all = 0;
    for (unsigned i = 0; tally && i < CHECK_N_KINDS; i++)
        all += tally->times[i];
    if (!all)
        return status;
    fprintf(stderr, "gensim: check:");
    const char *comma = " ";
    for (unsigned i = 0; i < CHECK_N_KINDS; i++) {
        if (tally->times[i])
            fprintf(stderr, "%s%s at %u place%s, %llu time%s", comma, kinds[i], tally->places[i],
                    tally->places[i] == 1 ? "" : "s", (unsigned long long)tally->times[i],
                    tally->times[i] == 1 ? "" : "s");
        comma = tally->times[i] ? "; " : comma;
    }
    fputc('\n', stderr);
    return status ? status : SIM_CHECK_STATUS;
}

static volatile sig_atomic_t child_pid;

static void forward(int sig)
{
    if (child_pid)
        kill(child_pid, sig);
}

static int run(char **argv, const char *library, const char *options)
{
    char preload[3 * PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    /* GENSIM_RUNTIME: in sanitizer builds the sanitizer's library, which must come first. */
    snprintf(preload, sizeof preload, "%s%s%s%s", GENSIM_RUNTIME, library,
             before && before[0] ? ":" : "", before ? before : "");
    if (GENSIM_RUNTIME[0])
        setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* the programs' own leaks are not ours */
    /* The terminal sends SIGINT to the whole group; what is sent to gensim alone goes on to the
     * program. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, forward);
    signal(SIGHUP, forward);
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(stderr, "gensim: fork: %s\n", strerror(errno));
        return EXIT_CANNOT_RUN;
    }
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        setenv("LD_PRELOAD", preload, 1);
        setenv(GENSIM_ENV_ROOT, root, 1);
        setenv(GENSIM_ENV_OPTIONS, options, 1);
        if (tally) {
            char symbols[PATH_MAX];
            if (make_path(symbols, GENSIM_SYMBOLS))
                setenv(GENSIM_ENV_SYMBOLS, symbols, 1);
        }
        execvp(argv[0], argv);
        int code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
        fprintf(stderr, "gensim: %s: %s\n", argv[0], strerror(errno));
        _exit(code);
    }
    child_pid = pid;
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return EXIT_CANNOT_RUN;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    static char env[8192], library[PATH_MAX];
    static struct i915_options opt; /* what it points to lives as long */
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "--list-devices"))) {
        if (!strcmp(argv[1], "--help"))
            help();
        else
            list_devices();
        return 0;
    }
    options_default(&opt);
    int first = read_options(argc, argv, &opt, env, sizeof env);
    if (first < 0)
        return EXIT_USAGE;
    if (first >= argc) {
        fprintf(stderr, "gensim: no program given (try --help)\n");
        return EXIT_USAGE;
    }
    if (!find_library(library)) {
        fprintf(stderr, "gensim: can't find libgensim.so\n");
        return EXIT_CANNOT_RUN;
    }
    int code = make_tree(&opt) ? sum_up(run(argv + first, library, env)) : EXIT_CANNOT_RUN;
    remove_tree();
    return code;
}
