/* The build protocol: messages round-trip; mutated ones are refused or decode to something whose
 * every byte can be read. */
#include "gen/ccproto.h"
#include "fuzz.h"

static const uint8_t *body(const uint8_t *message, size_t size, size_t *n)
{
    struct ccproto_header h;
    REQUIRE(size >= sizeof(h));
    memcpy(&h, message, sizeof(h));
    CHECK(h.magic == CCPROTO_MAGIC && h.version == CCPROTO_VERSION && h.size == size - sizeof(h));
    *n = h.size;
    return message + sizeof(h);
}

static unsigned touch(const void *data, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)data)[i];
    return sum;
}

static unsigned touch_request(const struct cc_request *r)
{
    unsigned sum = r->kind;
    sum += r->source ? touch(r->source, strlen(r->source)) : 0;
    sum += r->options ? touch(r->options, strlen(r->options)) : 0;
    sum += r->il ? touch(r->il, r->il_size) : 0;
    for (size_t i = 0; i < r->n_headers; i++)
        sum += touch(r->headers[i].name, strlen(r->headers[i].name)) +
               touch(r->headers[i].data, r->headers[i].size);
    for (size_t i = 0; i < r->n_inputs; i++)
        sum += touch(r->inputs[i].data, r->inputs[i].size);
    return sum;
}

static void requests(void)
{
    struct cc_blob headers[2] = {{"a.h", "int x;", 6}, {"dir/b.h", "", 0}};
    struct cc_blob inputs[1] = {{"in", "\177ELF", 4}};
    struct cc_request r = {.kind = CC_COMPILE,
                           .pci_id = 0x0412,
                           .source = "kernel void f(void) {}",
                           .options = "-w -DX=1",
                           .headers = headers,
                           .n_headers = 2,
                           .inputs = inputs,
                           .n_inputs = 1};
    struct cc_request d;
    uint8_t *m;
    const uint8_t *b;
    size_t size, n;

    REQUIRE(cc_request_encode(&r, &m, &size));
    b = body(m, size, &n);
    REQUIRE(cc_request_decode(b, n, &d));
    CHECK(d.kind == CC_COMPILE && d.pci_id == 0x0412 && !strcmp(d.source, r.source));
    CHECK(!strcmp(d.options, r.options) && d.n_headers == 2 && d.n_inputs == 1 && !d.il);
    CHECK(!strcmp(d.headers[0].name, "a.h") && d.headers[0].size == 6);
    CHECK(!memcmp(d.headers[0].data, "int x;", 6) && d.headers[1].size == 0);
    CHECK(d.inputs[0].size == 4 && !d.make_library);
    cc_request_fini(&d);

    unsigned sum = 0;
    for (unsigned long i = 0; fuzz_goes_on(i, 20000); i++) {
        size_t mutated;
        uint8_t *copy = fuzz_mutate(b, n, &mutated);
        if (cc_request_decode(copy, mutated, &d)) {
            sum += touch_request(&d);
            cc_request_fini(&d);
        }
        free(copy);
    }
    CHECK(sum != 0);
    free(m);
}

static void replies(void)
{
    struct cc_reply r = {
        .status = CC_OK, .log = "a warning", .binary = (uint8_t *)"bytes", .size = 5};
    struct cc_reply d;
    uint8_t *m;
    const uint8_t *b;
    size_t size, n;

    REQUIRE(cc_reply_encode(&r, &m, &size));
    b = body(m, size, &n);
    REQUIRE(cc_reply_decode(b, n, &d));
    CHECK(d.status == CC_OK && !strcmp(d.log, "a warning") && d.size == 5);
    CHECK(!memcmp(d.binary, "bytes", 5));
    cc_reply_fini(&d);

    for (unsigned long i = 0; fuzz_goes_on(i, 20000); i++) {
        size_t mutated;
        uint8_t *copy = fuzz_mutate(b, n, &mutated);
        if (cc_reply_decode(copy, mutated, &d)) {
            CHECK(d.log && d.status <= CC_INTERNAL && (d.status != CC_OK || d.binary));
            cc_reply_fini(&d);
        }
        free(copy);
    }
    free(m);

    struct cc_reply failed = {.status = CC_BUILD_FAILED};
    REQUIRE(cc_reply_encode(&failed, &m, &size));
    b = body(m, size, &n);
    REQUIRE(cc_reply_decode(b, n, &d));
    CHECK(d.status == CC_BUILD_FAILED && !strcmp(d.log, "") && !d.binary);
    cc_reply_fini(&d);
    free(m);
}

int main(void)
{
    struct cc_reply d;
    CHECK(!cc_reply_decode("", 0, &d));
    /* claims of 2^32 - 1 elements, and nesting without end */
    CHECK(!cc_reply_decode("\xdd\xff\xff\xff\xff", 5, &d));
    char deep[300];
    memset(deep, '\x91', sizeof(deep));
    CHECK(!cc_reply_decode(deep, sizeof(deep), &d));
    requests();
    replies();
    return utest_end();
}
