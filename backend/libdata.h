/* Files that are part of the executable: the prepared builtin library and the headers of the front
 * end. Made at build time (lib/prepare.c); LIB_DIR is where the build puts them. */
#ifndef BACKEND_LIBDATA_H
#define BACKEND_LIBDATA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lib_file {
    const char *name;
    const char *data, *end;
};

/* The i-th header; NULL past the end. (libdata.c) */
const struct lib_file *lib_header_at(unsigned i);

/* A part of the builtin library: bitcode, and the names that it defines, sorted, one a line. Ours
 * comes first, because what it defines replaces libclc's. */
struct lib_part {
    struct lib_file bitcode;
    struct lib_file names;
};
/* The i-th part for that pointer width; NULL past the end. (libparts.c) */
const struct lib_part *lib_part_at(unsigned pointer_bits, unsigned i);

/* Embeds a file; EMBEDDED(symbol, name) initialises a struct lib_file with it. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata." #symbol ", \"a\"\n"                                            \
            ".balign 16\n"                                                                         \
            "lib_" #symbol "_begin: .globl lib_" #symbol "_begin\n"                                \
            ".hidden lib_" #symbol "_begin\n"                                                      \
            ".incbin \"" LIB_DIR "/" file "\"\n"                                                   \
            "lib_" #symbol "_end: .globl lib_" #symbol "_end\n"                                    \
            ".hidden lib_" #symbol "_end\n"                                                        \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char lib_##symbol##_begin[], lib_##symbol##_end[];
#define EMBEDDED(symbol, name)                                                                     \
    {                                                                                              \
        name, lib_##symbol##_begin, lib_##symbol##_end                                             \
    }

#ifdef __cplusplus
}
#endif

#endif
