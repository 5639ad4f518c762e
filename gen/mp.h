/* Structs to and from MessagePack by table, for kbin and ccproto: one row a member, read by the
 * packer, the unpacker and the destructor. Bytes to be unpacked can be anything: mp_scan() walks
 * them first, so that no count exceeds the bytes that are there and nesting is bounded before the
 * library allocates. */
#ifndef GEN_MP_H
#define GEN_MP_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mp_type {
    MP_U8,
    MP_U16,
    MP_U32,
    MP_BOOL,
    MP_STR,   /* char *, owned; NULL is nil */
    MP_BYTES, /* uint8_t *, owned, size_t at `count`; NULL is nil */
    MP_TEXT, /* const char *, borrowed from the message, its NUL is part of the message; NULL is nil
              */
    MP_VIEW, /* const void *, borrowed, size_t at `count`; NULL is nil */
    MP_ARRAY, /* owned array of `shape`, uint32_t at `count` */
    MP_LIST   /* the same, size_t at `count` */
};

struct mp_shape;
struct mp_field {
    const char *name;
    uint8_t type; /* enum mp_type */
    uint8_t n;    /* array members: elements; 0: a single one */
    uint16_t offset;
    uint16_t count;
    const struct mp_shape *shape;
};

struct mp_shape {
    const struct mp_field *fields;
    unsigned n_fields;
    size_t size;     /* of the struct */
    bool positional; /* an array of the members in order, instead of a map */
    bool complete;   /* every member must be there; else missing ones stay zero */
};

void mp_pack(msgpack_packer *pk, const struct mp_shape *shape, const void *object);
/* Into a zeroed object. False on anything that doesn't fit: then mp_fini() is still due. */
bool mp_unpack(const msgpack_object *o, const struct mp_shape *shape, void *object);
void mp_fini(const struct mp_shape *shape, void *object);
/* Exactly one well-formed value of bounded depth and size. */
bool mp_scan(const void *data, size_t size);
/* Scans, decodes and unpacks. Zeroes the object first, releases it on failure. */
bool mp_read(const void *data, size_t size, const struct mp_shape *shape, void *object);

#endif
