/* Table-driven MessagePack: see mp.h. No state; what is unpacked is owned by the object. */
#include "gen/mp.h"

#include <stdlib.h>
#include <string.h>

enum { MP_MAX_DEPTH = 12 };

static void *at(const void *object, size_t offset)
{
    return (char *)object + offset;
}

static void pack_str(msgpack_packer *pk, const char *s, size_t size)
{
    msgpack_pack_str(pk, size);
    msgpack_pack_str_body(pk, s, size);
}

static size_t list_count(const struct mp_field *f, const void *object)
{
    const void *n = at(object, f->count);
    return f->type == MP_LIST ? *(const size_t *)n : *(const uint32_t *)n;
}

static void pack_one(msgpack_packer *pk, const struct mp_field *f, const void *object, unsigned i)
{
    const char *p = at(object, f->offset);

    switch ((enum mp_type)f->type) {
    case MP_U8:
        msgpack_pack_uint8(pk, ((const uint8_t *)p)[i]);
        break;
    case MP_U16:
        msgpack_pack_uint16(pk, ((const uint16_t *)p)[i]);
        break;
    case MP_U32:
        msgpack_pack_uint32(pk, ((const uint32_t *)p)[i]);
        break;
    case MP_BOOL:
        if (((const bool *)p)[i])
            msgpack_pack_true(pk);
        else
            msgpack_pack_false(pk);
        break;
    case MP_STR:
    case MP_TEXT: {
        const char *s = *(const char *const *)p;
        if (s)
            pack_str(pk, s, strlen(s) + (f->type == MP_TEXT));
        else
            msgpack_pack_nil(pk);
        break;
    }
    case MP_BYTES:
    case MP_VIEW: {
        const void *bytes = *(const void *const *)p;
        size_t size = *(const size_t *)at(object, f->count);
        if (bytes) {
            msgpack_pack_bin(pk, size);
            msgpack_pack_bin_body(pk, bytes, size);
        } else {
            msgpack_pack_nil(pk);
        }
        break;
    }
    case MP_ARRAY:
    case MP_LIST: {
        size_t n = list_count(f, object);
        const char *element = *(const char *const *)p;
        msgpack_pack_array(pk, n);
        for (size_t k = 0; k < n; k++)
            mp_pack(pk, f->shape, element + k * f->shape->size);
        break;
    }
    }
}

void mp_pack(msgpack_packer *pk, const struct mp_shape *shape, const void *object)
{
    if (shape->positional)
        msgpack_pack_array(pk, shape->n_fields);
    else
        msgpack_pack_map(pk, shape->n_fields);
    for (unsigned k = 0; k < shape->n_fields; k++) {
        const struct mp_field *f = &shape->fields[k];
        if (!shape->positional)
            pack_str(pk, f->name, strlen(f->name));
        if (f->n)
            msgpack_pack_array(pk, f->n);
        for (unsigned i = 0; i < (f->n ? f->n : 1u); i++)
            pack_one(pk, f, object, i);
    }
}

static bool take_uint(const msgpack_object *o, uint64_t max, uint64_t *out)
{
    if (o->type != MSGPACK_OBJECT_POSITIVE_INTEGER || o->via.u64 > max)
        return false;
    *out = o->via.u64;
    return true;
}

static bool take_list(const msgpack_object *o, const struct mp_field *f, void *object)
{
    if (o->type != MSGPACK_OBJECT_ARRAY)
        return false;
    size_t n = o->via.array.size;
    char *elements = n ? calloc(n, f->shape->size) : NULL;
    if (n && !elements)
        return false;
    *(char **)at(object, f->offset) = elements;
    if (f->type == MP_LIST)
        *(size_t *)at(object, f->count) = n;
    else
        *(uint32_t *)at(object, f->count) = (uint32_t)n;
    for (size_t k = 0; k < n; k++) {
        if (!mp_unpack(&o->via.array.ptr[k], f->shape, elements + k * f->shape->size))
            return false;
    }
    return true;
}

static bool take_one(const msgpack_object *o, const struct mp_field *f, void *object, unsigned i)
{
    char *p = at(object, f->offset);
    uint64_t u;

    switch ((enum mp_type)f->type) {
    case MP_U8:
        if (!take_uint(o, UINT8_MAX, &u))
            return false;
        ((uint8_t *)p)[i] = (uint8_t)u;
        return true;
    case MP_U16:
        if (!take_uint(o, UINT16_MAX, &u))
            return false;
        ((uint16_t *)p)[i] = (uint16_t)u;
        return true;
    case MP_U32:
        if (!take_uint(o, UINT32_MAX, &u))
            return false;
        ((uint32_t *)p)[i] = (uint32_t)u;
        return true;
    case MP_BOOL:
        if (o->type != MSGPACK_OBJECT_BOOLEAN)
            return false;
        ((bool *)p)[i] = o->via.boolean;
        return true;
    case MP_STR: {
        if (o->type == MSGPACK_OBJECT_NIL)
            return true;
        if (o->type != MSGPACK_OBJECT_STR || memchr(o->via.str.ptr, 0, o->via.str.size))
            return false;
        char *s = malloc(o->via.str.size + 1);
        if (!s)
            return false;
        memcpy(s, o->via.str.ptr, o->via.str.size);
        s[o->via.str.size] = 0;
        *(char **)p = s;
        return true;
    }
    case MP_TEXT:
        if (o->type == MSGPACK_OBJECT_NIL)
            return true;
        if (o->type != MSGPACK_OBJECT_STR || !o->via.str.size ||
            o->via.str.ptr[o->via.str.size - 1])
            return false;
        *(const char **)p = o->via.str.ptr;
        return true;
    case MP_BYTES: {
        if (o->type == MSGPACK_OBJECT_NIL)
            return true;
        if (o->type != MSGPACK_OBJECT_BIN)
            return false;
        uint8_t *b = malloc(o->via.bin.size + 1);
        if (!b)
            return false;
        memcpy(b, o->via.bin.ptr, o->via.bin.size);
        *(uint8_t **)p = b;
        *(size_t *)at(object, f->count) = o->via.bin.size;
        return true;
    }
    case MP_VIEW:
        if (o->type == MSGPACK_OBJECT_NIL)
            return true;
        if (o->type != MSGPACK_OBJECT_BIN)
            return false;
        *(const void **)p = o->via.bin.ptr;
        *(size_t *)at(object, f->count) = o->via.bin.size;
        return true;
    case MP_ARRAY:
    case MP_LIST:
        return take_list(o, f, object);
    }
    return false;
}

static bool take_field(const msgpack_object *o, const struct mp_field *f, void *object)
{
    if (!f->n)
        return take_one(o, f, object, 0);
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != f->n)
        return false;
    for (unsigned i = 0; i < f->n; i++) {
        if (!take_one(&o->via.array.ptr[i], f, object, i))
            return false;
    }
    return true;
}

static int find_field(const struct mp_shape *shape, const msgpack_object *key)
{
    if (key->type != MSGPACK_OBJECT_STR)
        return -1;
    for (unsigned k = 0; k < shape->n_fields; k++) {
        const char *name = shape->fields[k].name;
        if (strlen(name) == key->via.str.size && !memcmp(name, key->via.str.ptr, key->via.str.size))
            return (int)k;
    }
    return -1;
}

bool mp_unpack(const msgpack_object *o, const struct mp_shape *shape, void *object)
{
    if (shape->positional) {
        if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != shape->n_fields)
            return false;
        for (unsigned k = 0; k < shape->n_fields; k++) {
            if (!take_field(&o->via.array.ptr[k], &shape->fields[k], object))
                return false;
        }
        return true;
    }

    uint64_t seen = 0;
    if (o->type != MSGPACK_OBJECT_MAP)
        return false;
    for (uint32_t m = 0; m < o->via.map.size; m++) {
        int k = find_field(shape, &o->via.map.ptr[m].key);
        if (k < 0)
            continue; /* from a newer writer */
        if (seen & 1ull << k || !take_field(&o->via.map.ptr[m].val, &shape->fields[k], object))
            return false;
        seen |= 1ull << k;
    }
    return !shape->complete || seen == (1ull << shape->n_fields) - 1;
}

void mp_fini(const struct mp_shape *shape, void *object)
{
    for (unsigned k = 0; k < shape->n_fields; k++) {
        const struct mp_field *f = &shape->fields[k];
        void **p = at(object, f->offset);
        if (f->type == MP_ARRAY || f->type == MP_LIST) {
            size_t n = list_count(f, object);
            for (size_t i = 0; *p && i < n; i++)
                mp_fini(f->shape, (char *)*p + i * f->shape->size);
            free(*p);
        } else if (f->type == MP_STR || f->type == MP_BYTES) {
            free(*p);
        }
    }
    memset(object, 0, shape->size);
}

struct scan {
    const uint8_t *p, *end;
};

static bool scan_be(struct scan *s, unsigned bytes, uint64_t *out)
{
    if ((size_t)(s->end - s->p) < bytes)
        return false;
    *out = 0;
    while (bytes--)
        *out = *out << 8 | *s->p++;
    return true;
}

static bool scan_skip(struct scan *s, uint64_t bytes)
{
    if ((uint64_t)(s->end - s->p) < bytes)
        return false;
    s->p += bytes;
    return true;
}

static bool scan_value(struct scan *s, unsigned depth)
{
    uint64_t n, values = 0;

    if (s->p == s->end || depth > MP_MAX_DEPTH)
        return false;
    uint8_t b = *s->p++;
    if (b < 0x80 || b >= 0xe0 || b == 0xc0 || b == 0xc2 || b == 0xc3)
        return true; /* small integers, nil, booleans */
    if (b < 0x90) {
        values = 2 * (b & 15u);
    } else if (b < 0xa0) {
        values = b & 15u;
    } else if (b < 0xc0) {
        return scan_skip(s, b & 31u);
    } else if (b >= 0xc4 && b <= 0xc6) { /* bin 8, 16, 32 */
        return scan_be(s, 1u << (b - 0xc4), &n) && scan_skip(s, n);
    } else if (b == 0xca || b == 0xcb) { /* floats */
        return scan_skip(s, b == 0xca ? 4 : 8);
    } else if (b >= 0xcc && b <= 0xd3) { /* integers of 1, 2, 4, 8 bytes */
        return scan_skip(s, 1u << (b & 3));
    } else if (b >= 0xd9 && b <= 0xdb) { /* str 8, 16, 32 */
        return scan_be(s, 1u << (b - 0xd9), &n) && scan_skip(s, n);
    } else if (b >= 0xdc) { /* array, map 16, 32 */
        if (!scan_be(s, b & 1 ? 4 : 2, &n))
            return false;
        values = b >= 0xde ? 2 * n : n;
    } else {
        return false; /* extensions: not ours */
    }
    if (values > (uint64_t)(s->end - s->p))
        return false;
    while (values--) {
        if (!scan_value(s, depth + 1))
            return false;
    }
    return true;
}

bool mp_scan(const void *data, size_t size)
{
    struct scan s = {.p = data, .end = (const uint8_t *)data + size};
    return size && scan_value(&s, 0) && s.p == s.end;
}

bool mp_read(const void *data, size_t size, const struct mp_shape *shape, void *object)
{
    msgpack_unpacked u;

    memset(object, 0, shape->size);
    if (!mp_scan(data, size))
        return false;
    msgpack_unpacked_init(&u);
    bool ok = msgpack_unpack_next(&u, data, size, NULL) == MSGPACK_UNPACK_SUCCESS &&
              mp_unpack(&u.data, shape, object);
    msgpack_unpacked_destroy(&u);
    if (!ok)
        mp_fini(shape, object);
    return ok;
}
