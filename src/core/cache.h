/* The cache of compiled programs on disk: $XDG_CACHE_HOME/beignet, a file a build. The key is a
 * hash of everything that the result depends on. Files are written beside and renamed, checked when
 * read, and whatever is wrong with one means only that it isn't found. No locks: processes and
 * threads share the directory freely.
 */
#ifndef CORE_CACHE_H
#define CORE_CACHE_H

#include "gen/ccproto.h"

#include <stdbool.h>
#include <stdint.h>

struct cache_key {
    uint64_t hi, lo;
};

/* False if the result must not be kept: it depends on files that we don't see. `compiler`
 * identifies the compiler. */
bool cache_key(const struct cc_request *r, const char *compiler, struct cache_key *key);
/* Fills in the reply as the compiler would. */
bool cache_get(const struct cache_key *key, struct cc_reply *reply);
void cache_put(const struct cache_key *key, const struct cc_reply *reply);

#endif
