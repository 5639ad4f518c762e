#!/bin/sh
# A compiler that dies: the first time it is started it kills itself at once, later it is the real one.
# DYING_CC_MARK names the file that remembers; DYING_CC_REAL is the real compiler.
if [ ! -e "$DYING_CC_MARK" ]; then
    : >"$DYING_CC_MARK"
    kill -KILL $$
fi
exec "$DYING_CC_REAL" "$@"
