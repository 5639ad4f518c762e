/* The build protocol's encoders and decoders: tables for mp.c, the message header. */
#include "gen/ccproto.h"
#include "gen/mp.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(type, s, member, ...)                                                                \
    {                                                                                              \
#member, type, 0, offsetof(struct s, member), __VA_ARGS__                                  \
    }

static const struct mp_field header_fields[] = {
    FIELD(MP_TEXT, cc_blob, name, 0, NULL),
    FIELD(MP_VIEW, cc_blob, data, offsetof(struct cc_blob, size), NULL),
};
static const struct mp_shape header_shape = {header_fields, 2, sizeof(struct cc_blob), true, true};

/* An enum has no exact-width row: the message's struct has these members in place of the API's. */
struct request {
    uint32_t kind;
    struct cc_request r;
};
static const struct mp_field request_fields[] = {
    FIELD(MP_U32, request, kind, 0, NULL),
    {"pci_id", MP_U32, 0, offsetof(struct request, r.pci_id), 0, NULL},
    {"source", MP_TEXT, 0, offsetof(struct request, r.source), 0, NULL},
    {"options", MP_TEXT, 0, offsetof(struct request, r.options), 0, NULL},
    {"headers", MP_LIST, 0, offsetof(struct request, r.headers),
     offsetof(struct request, r.n_headers), &header_shape},
    {"inputs", MP_LIST, 0, offsetof(struct request, r.inputs), offsetof(struct request, r.n_inputs),
     &header_shape},
    {"library", MP_BOOL, 0, offsetof(struct request, r.make_library), 0, NULL},
    {"arg_offsets", MP_BOOL, 0, offsetof(struct request, r.arg_offsets), 0, NULL},
    {"il", MP_VIEW, 0, offsetof(struct request, r.il), offsetof(struct request, r.il_size), NULL},
    {"il_translator", MP_TEXT, 0, offsetof(struct request, r.il_translator), 0, NULL},
};
static const struct mp_shape request_shape = {request_fields,
                                              sizeof(request_fields) / sizeof(request_fields[0]),
                                              sizeof(struct request), false, false};

struct reply {
    uint32_t status;
    struct cc_reply r;
};
static const struct mp_field reply_fields[] = {
    FIELD(MP_U32, reply, status, 0, NULL),
    {"log", MP_STR, 0, offsetof(struct reply, r.log), 0, NULL},
    {"binary", MP_BYTES, 0, offsetof(struct reply, r.binary), offsetof(struct reply, r.size), NULL},
};
static const struct mp_shape reply_shape = {reply_fields,
                                            sizeof(reply_fields) / sizeof(reply_fields[0]),
                                            sizeof(struct reply), false, false};

static bool encode(const struct mp_shape *shape, const void *object, uint8_t **out, size_t *size)
{
    struct ccproto_header h = {.magic = CCPROTO_MAGIC, .version = CCPROTO_VERSION};
    msgpack_sbuffer buf;
    msgpack_packer pk;

    msgpack_sbuffer_init(&buf);
    msgpack_packer_init(&pk, &buf, msgpack_sbuffer_write);
    /* the header's place first; a write that fails leaves the buffer short, which the scan sees */
    if (msgpack_sbuffer_write(&buf, (const char *)&h, sizeof(h)))
        goto fail;
    mp_pack(&pk, shape, object);
    h.size = buf.size - sizeof(h);
    if (h.size > CCPROTO_MAX_SIZE || !mp_scan(buf.data + sizeof(h), h.size))
        goto fail;
    memcpy(buf.data, &h, sizeof(h));
    *size = buf.size;
    *out = (uint8_t *)msgpack_sbuffer_release(&buf);
    return true;

fail:
    msgpack_sbuffer_destroy(&buf);
    return false;
}

bool cc_request_encode(const struct cc_request *r, uint8_t **out, size_t *size)
{
    struct request m = {.kind = r->kind, .r = *r};
    return encode(&request_shape, &m, out, size);
}

bool cc_request_decode(const void *data, size_t size, struct cc_request *r)
{
    struct request m;

    if (size > CCPROTO_MAX_SIZE || !mp_read(data, size, &request_shape, &m))
        return false;
    m.r.kind = (enum ccproto_kind)m.kind;
    bool ok = m.kind <= CC_LINK && (m.kind == CC_LINK ? m.r.n_inputs > 0 : m.r.source || m.r.il);
    for (size_t i = 0; i < m.r.n_headers; i++)
        ok &= m.r.headers[i].name && m.r.headers[i].data;
    for (size_t i = 0; i < m.r.n_inputs; i++)
        ok &= m.r.inputs[i].data != NULL;
    if (!ok) {
        cc_request_fini(&m.r);
        return false;
    }
    *r = m.r;
    return true;
}

void cc_request_fini(struct cc_request *r)
{
    free(r->headers);
    free(r->inputs);
    memset(r, 0, sizeof(*r));
}

bool cc_reply_encode(const struct cc_reply *r, uint8_t **out, size_t *size)
{
    struct reply m = {.status = r->status, .r = *r};
    return encode(&reply_shape, &m, out, size);
}

bool cc_reply_decode(const void *data, size_t size, struct cc_reply *r)
{
    struct reply m;

    if (size > CCPROTO_MAX_SIZE || !mp_read(data, size, &reply_shape, &m))
        return false;
    m.r.status = (enum cc_status)m.status;
    if (m.status > CC_INTERNAL || (m.status == CC_OK && !m.r.binary)) {
        cc_reply_fini(&m.r);
        return false;
    }
    if (!m.r.log) {
        m.r.log = calloc(1, 1);
        if (!m.r.log) {
            cc_reply_fini(&m.r);
            return false;
        }
    }
    *r = m.r;
    return true;
}

void cc_reply_fini(struct cc_reply *r)
{
    free(r->log);
    free(r->binary);
    memset(r, 0, sizeof(*r));
}
