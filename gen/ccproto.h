/* The build protocol between the driver and beignet-cc --server, over a socketpair: a request message,
 * then a reply message, in order, any number of times. Each message: struct ccproto_header, then `size`
 * bytes of MessagePack (a map with the keys named below, each used once; unknown keys are ignored).
 * Either end treats the other's bytes as hostile: sizes bounded, types checked. */
#ifndef GEN_CCPROTO_H
#define GEN_CCPROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CCPROTO_MAGIC = 0x43434742 /* "BGCC" */, CCPROTO_VERSION = 1, CCPROTO_MAX_SIZE = 256 << 20 };

struct ccproto_header {
    uint32_t magic;
    uint32_t version;
    uint64_t size; /* bytes that follow */
};

enum ccproto_kind {
    CC_BUILD,   /* source -> executable */
    CC_COMPILE, /* source -> compiled object (bitcode) */
    CC_LINK     /* objects -> executable or library */
};

struct cc_blob { const char *name; const void *data; size_t size; }; /* borrowed */

/* keys: kind, pci_id, source, options, headers [[name, text]], inputs [bytes], library, il,
 * il_translator, arg_offsets */
struct cc_request {
    enum ccproto_kind kind;
    uint32_t pci_id;       /* gen_device_by_id() */
    const char *source;    /* OpenCL C, NUL-terminated; NULL for CC_LINK */
    const char *options;   /* as the application gave them */
    struct cc_blob *headers; /* embedded headers (clCompileProgram) */
    size_t n_headers;
    struct cc_blob *inputs;  /* kernel binaries holding bitcode (CC_LINK) */
    size_t n_inputs;
    bool make_library;       /* CC_LINK with -create-library */
    bool arg_offsets;        /* CC_LINK: buffer arguments begin somewhere in their surfaces, at any byte: kernels add
                              * KBIN_PARAM_ARG_OFFSET. Else at the surface's first byte, and there is no such parameter */
    const void *il;          /* SPIR-V instead of source; NULL if none */
    size_t il_size;
    const char *il_translator; /* path of llvm-spirv; needed with il */
};

enum cc_status {
    CC_OK = 0,
    CC_BUILD_FAILED,    /* the user's mistake, or something we don't support: see the log */
    CC_INVALID_OPTIONS, /* CL_INVALID_BUILD_OPTIONS and its compile and link kin */
    CC_INTERNAL         /* our bug, a crash, a time or memory limit: the log says which */
};

/* keys: status, log, binary */
struct cc_reply {
    enum cc_status status;
    char *log;       /* owned, NUL-terminated */
    uint8_t *binary; /* owned: kbin image; NULL unless CC_OK */
    size_t size;
};

/* Encoding and decoding, in the kbin library. Encoders return malloc'ed bytes, header included.
 * Decoders take the bytes after the header; the request's pointers then point into `data`, the arrays are
 * malloc'ed (cc_request_fini). False on anything malformed. */
bool cc_request_encode(const struct cc_request *r, uint8_t **out, size_t *size);
bool cc_request_decode(const void *data, size_t size, struct cc_request *r);
void cc_request_fini(struct cc_request *r);
bool cc_reply_encode(const struct cc_reply *r, uint8_t **out, size_t *size);
bool cc_reply_decode(const void *data, size_t size, struct cc_reply *r);
void cc_reply_fini(struct cc_reply *r);

#endif
