#!/bin/sh
# usage: exports.sh LIBCL CL_API_DEF: the library exports the rows of cl_api.def and nothing else.
set -eu
expected=$(sed -n 's/^CL_[A-Z]*(\([ 0-9]*,\)\{0,1\} *\([A-Za-z0-9]*\)).*/\2/p' "$2" | sort)
exported=$(nm -D --defined-only "$1" | awk '{ print $NF }' | sort)
if [ "$expected" != "$exported" ]; then
    echo "exported, but not in $2, or the other way round:" >&2
    printf '%s\n%s\n' "$expected" "$exported" | sort | uniq -u >&2
    exit 1
fi
