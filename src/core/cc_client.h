/* The compiler's client: starts beignet-cc --server at the first build, with one end of a
 * socketpair, and asks it to build. The server is a process that the application can't wait for and
 * that ends with its socket. It serves one request at a time; builds that come meanwhile get
 * servers of their own, up to a bound. A server that died is started again. A lock each.
 */
#ifndef CORE_CC_CLIENT_H
#define CORE_CC_CLIENT_H

#include "gen/ccproto.h"

/* Builds, from the cache where possible. The reply is always filled in: failures of the compiler
 * itself are CC_INTERNAL with a log. */
void cc_client_build(const struct cc_request *request, struct cc_reply *reply);
/* The program that translates SPIR-V for the compiler; NULL if there is none. */
const char *cc_client_translator(void);
/* Ends the servers until the next build. */
void cc_client_unload(void);
/* In a forked child: the server is the parent's. */
void cc_client_forked(void);

#endif
