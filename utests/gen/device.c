/* The device table against the limits that the hardware and the interface set, and some known
 * parts. */
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

int main(void)
{
    test_rows();
    test_names();
    return utest_end();
}
