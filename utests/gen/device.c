/* The device table against the limits that the hardware and the interface set, some known parts,
 * and devices.tsv: every part's figures as collected from the public tables of Linux, Mesa and
 * Intel's compute runtime. */
#include "utest.h"

#include "gen/device.h"

static void test_rows(void)
{
    unsigned n = 0;
    for (const struct gen_device *d; (d = gen_device_at(n)); n++) {
        CHECKF(gen_device_by_id(d->pci_id) == d, "%04x is listed twice", d->pci_id);
        CHECK(d->gen == 70 || d->gen == 75 || d->gen == 80 || d->gen == 90);
        CHECK(d->subslices >= d->slices && d->subslices % d->slices == 0);
        CHECK(d->eu_total == d->subslices * d->eu_per_subslice);
        CHECK(d->hw_threads == d->eu_total * d->threads_per_eu);
        CHECK(d->max_group_threads <= 64);
        CHECK(d->max_group_threads <= d->eu_per_subslice * d->threads_per_eu);
        CHECK(d->pointer_bits == (d->gen < 80 ? 32 : 64));
        CHECK(d->llc == !(d->quirks & GEN_QUIRK_NO_LLC));
        /* picoseconds a tick within one of 10^12 / Hz */
        CHECK((uint64_t)d->timestamp_period_ps * d->timestamp_hz / 1000000000000 <= 1);
        CHECK(((uint64_t)d->timestamp_period_ps + 1) * d->timestamp_hz >= 1000000000000);
        CHECK(!!(d->quirks & GEN_QUIRK_SPARSE_FFTID) == (d->gen == 75));
        CHECK(!!(d->quirks & GEN_QUIRK_DF_DWORD_REGIONS) == (d->gen == 70));
    }
    CHECKF(n == 207, "%u ids", n);
    CHECK(!gen_device_by_id(0x0046)); /* Ironlake */
    CHECK(!gen_device_by_id(0x9a49)); /* Tiger Lake */
}

/* Ids that no list has: what the figures of the kernel make of them. */
static void test_related(void)
{
    static const struct {
        uint16_t id, subslices, eus;
        const char *name; /* NULL: none */
    } known[] = {
        {0x1914, 3, 24, "skl-gt2"}, {0x1914, 6, 48, "skl-gt3"}, {0x1914, 3, 23, "skl-gt2"},
        {0x1914, 2, 12, "skl-gt1"}, {0x1914, 9, 72, "skl-gt4"}, {0x1914, 12, 96, NULL},
        {0x041f, 2, 20, "hsw-gt2"}, {0x041f, 4, 40, "hsw-gt3"}, {0x041f, 8, 80, NULL},
        {0x161f, 0, 0, "bdw-gt2"},  {0x5a8f, 3, 18, "bxt-3x6"}, {0x0046, 0, 0, NULL},
        {0x9a49, 0, 0, NULL},       {0x5a50, 0, 0, NULL},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const struct gen_device *d =
            gen_device_related(known[i].id, known[i].subslices, known[i].eus);
        CHECKF(known[i].name ? d && (known[i].subslices == 0 || !strcmp(d->name, known[i].name))
                             : !d,
               "%04x: %s", known[i].id, d ? d->name : "none");
    }
}

static void test_names(void)
{
    static const struct {
        const char *name;
        uint16_t id, gen, hw_threads, group, llc;
    } known[] = {
        {"ivb-gt1", 0x0152, 70, 36, 36, 1},  {"ivb-gt2", 0x0166, 70, 128, 64, 1},
        {"ivb", 0x0166, 70, 128, 64, 1},     {"byt", 0x0f31, 70, 32, 32, 0},
        {"hsw-gt2", 0x0412, 75, 140, 64, 1}, {"hsw", 0x0412, 75, 140, 64, 1},
        {"bdw-gt2", 0x1616, 80, 168, 56, 1}, {"chv", 0x22b1, 80, 112, 56, 0},
        {"skl-gt1", 0x1902, 90, 84, 42, 1},  {"skl-gt2", 0x1912, 90, 168, 56, 1},
        {"skl-gt4", 0x193b, 90, 504, 56, 1}, {"kbl-gt2", 0x5912, 90, 168, 56, 1},
        {"bxt-3x6", 0x5a84, 90, 108, 36, 0}, {"glk-2x6", 0x3185, 90, 72, 36, 0},
        {"cfl", 0x3e92, 90, 168, 56, 1},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const struct gen_device *d = gen_device_by_name(known[i].name);
        REQUIRE(d);
        CHECKF(d->pci_id == known[i].id && d->gen == known[i].gen &&
                   d->hw_threads == known[i].hw_threads && d->max_group_threads == known[i].group &&
                   d->llc == known[i].llc,
               "%s", known[i].name);
    }
    CHECK(!gen_device_by_name("") && !gen_device_by_name("skl-gt9"));
    unsigned n = 0;
    for (const struct gen_device *d; (d = gen_class_at(n)); n++)
        CHECK(gen_device_by_name(d->name) == d);
    CHECKF(n == 27, "%u classes", n);
}

enum { MOST_COLUMNS = 32 };

/* Splits a line at its tabs. */
static unsigned split(char *line, char *column[MOST_COLUMNS])
{
    unsigned n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *p = line; p && n < MOST_COLUMNS; n++) {
        column[n] = p;
        p = strchr(p, '\t');
        if (p)
            *p++ = 0;
    }
    return n;
}

/* "ivb_gt1" in the list is "ivb-gt1" of --device. */
static bool same_class(const char *listed, const char *name)
{
    for (; *listed && (*listed == *name || (*listed == '_' && *name == '-')); listed++)
        name++;
    return !*listed && !*name;
}

static void check_listed(const struct gen_device *d, char *const *head, char *const *column,
                         unsigned n)
{
    const struct {
        const char *name;
        uint32_t value;
    } figures[] = {{"slices", d->slices},
                   {"subslices", d->subslices},
                   {"eu_per_subslice", d->eu_per_subslice},
                   {"eu_total", d->eu_total},
                   {"threads_per_eu", d->threads_per_eu},
                   {"hw_threads", d->hw_threads},
                   {"l3_banks", d->l3_banks},
                   {"l3_kib", d->l3_kib},
                   {"urb_kib", d->urb_kib},
                   {"timestamp_hz", d->timestamp_hz}};
    unsigned seen = 0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < sizeof figures / sizeof *figures; k++) {
            if (strcmp(head[i], figures[k].name) != 0)
                continue;
            seen++;
            CHECKF(strtoul(column[i], NULL, 10) == figures[k].value, "%04x: %s is %s, not %u",
                   d->pci_id, head[i], column[i], figures[k].value);
        }
        if (strcmp(head[i], "gen") == 0)
            CHECKF((int)(strtod(column[i], NULL) * 10) == d->gen, "%04x: generation %s", d->pci_id,
                   column[i]);
        if (strcmp(head[i], "class") == 0)
            CHECKF(same_class(column[i], d->name), "%04x: class %s", d->pci_id, column[i]);
        if (strcmp(head[i], "llc") == 0)
            CHECKF((strcmp(column[i], "yes") == 0) == d->llc, "%04x: llc %s", d->pci_id, column[i]);
        if (strcmp(head[i], "codename") == 0)
            CHECKF(strcmp(column[i], d->codename) == 0, "%04x: %s", d->pci_id, column[i]);
    }
    CHECKF(seen == sizeof figures / sizeof *figures, "%u figures", seen);
}

static void test_list(void)
{
    FILE *f = fopen(SOURCE_DIR "/utests/gen/devices.tsv", "r");
    char first[2048], line[2048];
    char *head[MOST_COLUMNS], *column[MOST_COLUMNS];
    unsigned n = 0;
    REQUIRE(f && fgets(first, sizeof first, f));
    unsigned n_head = split(first, head);
    while (fgets(line, sizeof line, f)) {
        unsigned n_columns = split(line, column);
        const struct gen_device *d = gen_device_by_id(strtoul(column[0], NULL, 16));
        CHECKF(n_columns == n_head, "line %u: %u columns", n + 2, n_columns);
        CHECKF(d, "%s is missing", column[0]);
        if (d && n_columns == n_head)
            check_listed(d, head, column, n_head);
        n++;
    }
    fclose(f);
    CHECKF(n == 207, "%u ids", n);
}

int main(void)
{
    test_rows();
    test_list();
    test_related();
    test_names();
    return utest_end();
}
