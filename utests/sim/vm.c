/* The GPU's page tables. */
#include <stdint.h>
#include <sys/mman.h>

#include "sim/hw/hw.h"
#include "utest.h"

enum { PAGE = 4096 };

static uint8_t *pages(uint64_t size)
{
    uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(p != MAP_FAILED);
    return p;
}

static void test_mapping(void)
{
    struct sim_vm *vm = vm_new(48);
    uint8_t *a = pages(4 * PAGE), *b = pages(PAGE);
    uint64_t run = 0;
    gpu_addr at = 0x7f0012345000, bad = 0;
    uint8_t byte = 7;
    CHECK(!vm_ptr(vm, at, 1, false, &run));
    CHECK(vm_map(vm, at, a, 4 * PAGE, true, 1));
    CHECK(vm_ptr(vm, at, 1, true, &run) == a && run == 4 * PAGE);
    CHECK(vm_ptr(vm, at + 5000, 1, false, &run) == a + 5000 && run == 4 * PAGE - 5000);
    CHECK(!vm_ptr(vm, at + 4 * PAGE, 1, false, &run));
    CHECK(!vm_ptr(vm, at - 1, 1, false, &run));
    CHECK(!vm_ptr(vm, at + 4 * PAGE - 1, 2, false, &run));
    /* Refused: overlap, alignment, nothing, past the end of the space. */
    CHECK(!vm_map(vm, at + PAGE, b, PAGE, true, 2));
    CHECK(!vm_map(vm, at - PAGE, b, 2 * PAGE, true, 2));
    CHECK(!vm_map(vm, 100, b, PAGE, true, 2));
    CHECK(!vm_map(vm, 0, b, 100, true, 2));
    CHECK(!vm_map(vm, 0, b, 0, true, 2));
    CHECK(!vm_map(vm, ((uint64_t)1 << 48) - PAGE, b, 2 * PAGE, true, 2));
    CHECK(vm_map(vm, ((uint64_t)1 << 48) - PAGE, b, PAGE, false, 2));
    /* Read-only. */
    CHECK(!vm_ptr(vm, ((uint64_t)1 << 48) - PAGE, 1, true, &run));
    CHECK(vm_ptr(vm, ((uint64_t)1 << 48) - 1, 1, false, &run) == b + PAGE - 1 && run == 1);
    CHECK(!vm_write(vm, ((uint64_t)1 << 48) - 1, &byte, 1, &bad) && bad == ((uint64_t)1 << 48) - 1);
    /* Canonical addresses are the same; other ones beyond 48 bits name nothing. */
    CHECK(vm_ptr(vm, 0xffffffffffffffff, 1, false, &run) == b + PAGE - 1);
    CHECK(!vm_ptr(vm, (uint64_t)1 << 48, 1, false, &run));
    /* A part unmapped. */
    vm_unmap(vm, at + PAGE, PAGE);
    CHECK(vm_ptr(vm, at, 1, true, &run) == a && run == PAGE);
    CHECK(!vm_ptr(vm, at + PAGE, 1, true, &run));
    CHECK(vm_ptr(vm, at + 2 * PAGE, 1, true, &run) == a + 2 * PAGE && run == 2 * PAGE);
    CHECK(vm_map(vm, at + PAGE, b, PAGE, true, 3));
    CHECK(vm_ptr(vm, at + PAGE + 3, 1, true, &run) == b + 3);
    struct vm_range r;
    CHECK(vm_find(vm, at + PAGE + 3, &r) && r.object == 3 && r.start == at + PAGE &&
          r.end == at + 2 * PAGE);
    CHECK(!vm_find(vm, at + 5 * PAGE, &r) && r.object == 1 && r.end == at + 4 * PAGE);
    char text[200];
    CHECK(strstr(vm_describe(vm, at + 4 * PAGE + 16, text, sizeof text), "0x10 past object 1"));
    /* Hidden: not there, but still known. */
    vm_hide(vm, at + 2 * PAGE, 2 * PAGE);
    CHECK(!vm_ptr(vm, at + 2 * PAGE, 1, false, &run));
    CHECK(strstr(vm_describe(vm, at + 2 * PAGE, text, sizeof text), "object 1 was there"));
    CHECK(vm_map(vm, at + 2 * PAGE, a, PAGE, true, 4));
    CHECK(vm_ptr(vm, at + 2 * PAGE, 1, false, &run) == a);
    CHECK(!strstr(vm_describe(vm, at + 3 * PAGE, text, sizeof text), "was there"));
    vm_free(vm);
    munmap(a, 4 * PAGE);
    munmap(b, PAGE);
}

static void test_copies(void)
{
    struct sim_vm *vm = vm_new(32);
    uint8_t *a = pages(2 * PAGE), *b = pages(PAGE), data[3 * PAGE], back[3 * PAGE];
    gpu_addr bad = 0;
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = i * 7 + (i >> 8);
    /* Two objects side by side; one copy over both. */
    CHECK(vm_map(vm, 0x10000, a, 2 * PAGE, true, 1));
    CHECK(vm_map(vm, 0x10000 + 2 * PAGE, b, PAGE, true, 2));
    CHECK(vm_write(vm, 0x10000, data, sizeof data, &bad));
    CHECK(!memcmp(a, data, 2 * PAGE) && !memcmp(b, data + 2 * PAGE, PAGE));
    CHECK(vm_read(vm, 0x10000, back, sizeof back, &bad) && !memcmp(back, data, sizeof data));
    CHECK(!vm_read(vm, 0x10000 + PAGE, back, sizeof back, &bad) && bad == 0x10000 + 3 * PAGE);
    CHECK(!vm_map(vm, 0xfffff000, a, 2 * PAGE, true, 3));
    vm_free(vm);
    munmap(a, 2 * PAGE);
    munmap(b, PAGE);
}

/* Objects that are neighbours in both spaces are one run. */
static void test_runs(void)
{
    struct sim_vm *vm = vm_new(48);
    uint8_t *a = pages(4 * PAGE);
    uint64_t run;
    CHECK(vm_map(vm, 0x40000000, a, PAGE, true, 1));
    CHECK(vm_map(vm, 0x40001000, a + PAGE, 2 * PAGE, true, 2));
    CHECK(vm_map(vm, 0x40003000, a, PAGE, true, 3));
    CHECK(vm_ptr(vm, 0x40000010, 3 * PAGE - 16, true, &run) == a + 16 && run >= 3 * PAGE - 16);
    CHECK(!vm_ptr(vm, 0x40000010, 3 * PAGE, true, &run));
    vm_free(vm);
    munmap(a, 4 * PAGE);
}

/* Large entries, and their splitting. */
static void test_large(void)
{
    const uint64_t size = (uint64_t)3 << 30;
    struct sim_vm *vm = vm_new(48);
    uint8_t *a = pages(size), *b = pages(PAGE);
    uint64_t run;
    gpu_addr at = ((uint64_t)5 << 30) - (2 << 20) - PAGE;
    CHECK(vm_map(vm, at, a, size, true, 1));
    for (uint64_t o = 0; o < size; o += ((uint64_t)7 << 20) + 4097)
        CHECKF(vm_ptr(vm, at + o, 1, true, &run) == a + o && run == size - o, "offset 0x%llx",
               (long long)o);
    CHECK(!vm_ptr(vm, at + size, 1, false, &run));
    gpu_addr hole = at + ((uint64_t)1 << 30) + 5 * PAGE;
    vm_unmap(vm, hole & ~(gpu_addr)(PAGE - 1), PAGE);
    CHECK(!vm_ptr(vm, hole, 1, false, &run));
    CHECK(vm_ptr(vm, hole - PAGE, 1, false, &run) == a + (hole - PAGE - at) && run == PAGE);
    CHECK(vm_ptr(vm, hole + PAGE, 1, false, &run) == a + (hole + PAGE - at));
    CHECK(vm_map(vm, hole, b, PAGE, true, 2));
    CHECK(vm_ptr(vm, hole + 1, 1, false, &run) == b + 1);
    vm_unmap(vm, at, size);
    for (uint64_t o = 0; o < size; o += (uint64_t)77 << 20)
        CHECK(!vm_ptr(vm, at + o, 1, true, &run));
    CHECK(vm_map(vm, at, a, size, true, 3));
    CHECK(vm_ptr(vm, hole, 1, false, &run) == a + (hole - at));
    vm_free(vm);
    munmap(a, size);
    munmap(b, PAGE);
}

int main(void)
{
    test_mapping();
    test_copies();
    test_runs();
    test_large();
    return utest_end();
}
