/* The three requests of the DRI2 protocol that a login takes: QueryVersion, Connect (which device
 * does the server drive?) and Authenticate (of our magic number). X errors would end the
 * application by Xlib's default handler, so nothing is asked that a server with the extension could
 * refuse with one. */
#include "src/x11/dri2.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <xf86drm.h>

#include <X11/Xlibint.h>
#include <X11/extensions/dri2proto.h>
#include <X11/extensions/dri2tokens.h>

static bool query_version(Display *dpy, int opcode)
{
    xDRI2QueryVersionReq *req;
    xDRI2QueryVersionReply rep;
    LockDisplay(dpy);
    GetReq(DRI2QueryVersion, req);
    req->reqType = (CARD8)opcode;
    req->dri2ReqType = X_DRI2QueryVersion;
    req->majorVersion = DRI2_MAJOR;
    req->minorVersion = DRI2_MINOR;
    bool ok = _XReply(dpy, (xReply *)&rep, 0, xFalse);
    UnlockDisplay(dpy);
    SyncHandle();
    return ok && rep.majorVersion == DRI2_MAJOR;
}

/* The device that the server drives this screen with; owned by the caller, NULL on failure. */
static char *connect_screen(Display *dpy, int opcode, Window root)
{
    xDRI2ConnectReq *req;
    xDRI2ConnectReply rep;
    char *name = NULL;
    LockDisplay(dpy);
    GetReq(DRI2Connect, req);
    req->reqType = (CARD8)opcode;
    req->dri2ReqType = X_DRI2Connect;
    req->window = (CARD32)root;
    req->driverType = DRI2DriverDRI;
    if (_XReply(dpy, (xReply *)&rep, 0, xFalse)) {
        /* driver name, device name, each padded to 4 bytes */
        unsigned long skip = (rep.driverNameLength + 3ul) & ~3ul;
        unsigned long size = (rep.deviceNameLength + 3ul) & ~3ul;
        bool sane = rep.deviceNameLength > 0 && (skip + size) / 4 <= rep.length;
        name = sane ? calloc(1, size + 1) : NULL;
        if (name) {
            _XEatData(dpy, skip);
            _XRead(dpy, name, (long)size);
            name[rep.deviceNameLength] = '\0';
            _XEatData(dpy, rep.length * 4ul - skip - size);
        } else {
            _XEatData(dpy, rep.length * 4ul);
        }
    }
    UnlockDisplay(dpy);
    SyncHandle();
    return name;
}

static bool authenticate(Display *dpy, int opcode, Window root, uint32_t magic)
{
    xDRI2AuthenticateReq *req;
    xDRI2AuthenticateReply rep;
    LockDisplay(dpy);
    GetReq(DRI2Authenticate, req);
    req->reqType = (CARD8)opcode;
    req->dri2ReqType = X_DRI2Authenticate;
    req->window = (CARD32)root;
    req->magic = magic;
    bool ok = _XReply(dpy, (xReply *)&rep, 0, xFalse) && rep.authenticated;
    UnlockDisplay(dpy);
    SyncHandle();
    return ok;
}

static bool same_device(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_rdev == sb.st_rdev;
}

bool dri2_authenticate(const char *node, int fd)
{
    Display *dpy = XOpenDisplay(NULL);
    if (!dpy)
        return false;
    bool ok = false;
    XExtCodes *codes = XInitExtension(dpy, DRI2_NAME);
    Window root = DefaultRootWindow(dpy);
    drm_magic_t magic;
    if (codes && query_version(dpy, codes->major_opcode)) {
        char *device = connect_screen(dpy, codes->major_opcode, root);
        ok = device && same_device(device, node) && drmGetMagic(fd, &magic) == 0 &&
             authenticate(dpy, codes->major_opcode, root, magic);
        free(device);
    }
    XCloseDisplay(dpy);
    return ok;
}
