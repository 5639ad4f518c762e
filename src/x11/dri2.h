/* Login to a card node where there is no render node: the X server vouches for us (DRI2 protocol).
 */
#ifndef SRC_X11_DRI2_H
#define SRC_X11_DRI2_H

#include <stdbool.h>

/* Has the X server of $DISPLAY authenticate fd, an open descriptor of `node`. False if there is no
 * server, it drives another device, or it refuses. Never prints, never blocks longer than the
 * server takes. */
bool dri2_authenticate(const char *node, int fd);

#endif
