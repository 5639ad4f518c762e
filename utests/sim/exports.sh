#!/bin/sh
# libgensim.so exports the libc names it replaces, and nothing else: a preloaded helper would replace the driver's.
# Usage: exports.sh LIBRARY
set -eu
allowed=" open open64 openat openat64 __open_2 __open64_2 close dup dup2 dup3 fcntl fcntl64 ioctl mmap mmap64 munmap
 stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 statx access readlink realpath __realpath_chk opendir
 scandir fopen fopen64 "
bad=0
names=$(nm -D --defined-only "$1" | awk '{print $3}')
for name in $names; do
    case " $(echo $allowed) " in
    *" $name "*) ;;
    *) echo "exported: $name" >&2; bad=1 ;;
    esac
done
for name in $(echo $allowed); do
    echo "$names" | grep -qx "$name" || { echo "missing: $name" >&2; bad=1; }
done
if nm -D --undefined-only "$1" | grep -E ' (drm|cl)[A-Z_]'; then
    echo "the library must not need the clients of the node" >&2
    bad=1
fi
exit $bad
