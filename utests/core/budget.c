/* Limits that the system sets, read from made-up /proc and /sys trees. */
#include "fake_gpu.h"
#include "utest.h"

#include "src/core/budget.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(full, 0700);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

#define MIB (UINT64_C(1) << 20)

static void parse(void)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {{"0", 0},        {"4096", 4096},      {"64k", 64 << 10},
                {"3M", 3 * MIB}, {"2G", 2048 * MIB},  {"1T", MIB * MIB},
                {"", 0},         {"-1", 0},           {"12x", 0},
                {"1MB", 0},      {"99999999999T", 0}, {" 5", 0}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECKF(budget_parse(rows[i].text) == rows[i].value, "'%s'", rows[i].text);
    CHECK(budget_parse(NULL) == 0);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/utest-budget-XXXXXX");
    REQUIRE(mkdtemp(root));
    parse();
    put("/proc/meminfo",
        "MemTotal:        8388608 kB\nMemFree: 1 kB\nMemAvailable:    4194304 kB\n");
    CHECK(budget_system_limit(root, NULL) == 6144 * MIB); /* three quarters of 8 GiB */
    CHECK(budget_system_limit(root, "100M") == 100 * MIB);
    CHECK(budget_system_limit(root, "100G") == 6144 * MIB);
    CHECK(budget_system_limit(root, "nonsense") == 6144 * MIB);
    CHECK(budget_system_room(root) == 4096 * MIB - 512 * MIB); /* one sixteenth stays */
    /* Version 2: the least of the group and those above it. */
    put("/proc/self/cgroup", "0::/user.slice/app.scope\n");
    put("/sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
    put("/sys/fs/cgroup/user.slice/memory.current", "536870912\n");
    CHECK(budget_system_limit(root, NULL) == 768 * MIB);
    CHECK(budget_system_room(root) == 448 * MIB); /* seven eighths of what is left */
    put("/sys/fs/cgroup/user.slice/app.scope/memory.max", "268435456\n");
    put("/sys/fs/cgroup/user.slice/app.scope/memory.current", "999999999999\n");
    CHECK(budget_system_limit(root, NULL) == 192 * MIB);
    CHECK(budget_system_room(root) == 0);
    /* Version 1 beside it; its "no limit" is a huge number. */
    put("/proc/self/cgroup", "12:pids:/x\n5:memory:/docker/abc\n");
    put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(budget_system_limit(root, NULL) == 6144 * MIB);
    put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "536870912\n");
    put("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "0\n");
    CHECK(budget_system_limit(root, NULL) == 384 * MIB);
    CHECK(budget_system_room(root) == 448 * MIB);
    /* The root group of a namespace. */
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "134217728\n");
    CHECK(budget_system_limit(root, NULL) == 96 * MIB);
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    CHECK(system(command) == 0);
    return utest_end();
}
