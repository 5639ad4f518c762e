#!/bin/sh
# The gensim command: exit statuses, options, signals, and that nothing of its files remains.
# Usage: gensim.sh GENSIM
set -u
gensim=$1
bad=0
TMPDIR=$(mktemp -d)
export TMPDIR
check() { # what, status, expected
    [ "$2" = "$3" ] || { echo "$1: status $2, expected $3" >&2; bad=1; }
}
"$gensim" --list-devices | grep -q '^skl-gt2 .*0x1912' || { echo "no device list" >&2; bad=1; }
"$gensim" --help | grep -q -- '--device' || { echo "no help" >&2; bad=1; }
"$gensim" --device skl-gt2 -- sh -c 'exit 3'; check status $? 3
"$gensim" -- sh -c 'kill -TERM $$' 2>/dev/null; check signal $? 143
"$gensim" -- /nonexistent 2>/dev/null; check "not found" $? 127
"$gensim" -- / 2>/dev/null; check "not executable" $? 126
"$gensim" 2>/dev/null; check "no program" $? 125
for option in --device=none --device --nothing --stats=1 --fault=x --fault=any:0:EIO --fault=gem_create:1:EWHAT \
    --perturb=-1 --hang-limit=x --kernel=what; do
    "$gensim" $option -- true 2>/dev/null; check "$option" $? 125
done
"$gensim" --device=0x0412 --stats --check --fault any:99:EIO,execbuffer2:3+:EINTR,hang:4 --perturb 7 \
    --hang-limit 0 --threads 1 --delay 1 --kernel nollc,ppgtt=3,parser=9 -- sh -c 'test -c /dev/dri/renderD128 2>/dev/null; exit 0'
check "all options" $? 0
# What the program sees, by a libc call that is not the shell's own.
"$gensim" --device=bdw-gt2 -- python3 -c '
import os, stat
s = os.stat("/dev/dri/renderD128")
assert stat.S_ISCHR(s.st_mode) and os.major(s.st_rdev) == 226 and os.minor(s.st_rdev) == 128
assert sorted(os.listdir("/dev/dri")) == ["by-path", "card0", "renderD128"]
assert open("/sys/class/drm/card0/device/device").read() == "0x1616\n"
fd = os.open("/dev/dri/renderD128", os.O_RDWR)
assert os.fstat(fd).st_rdev == s.st_rdev
'
check python $? 0
"$gensim" --kernel norender -- python3 -c 'import os; assert not os.path.exists("/dev/dri/renderD128")'
check norender $? 0
# A signal to gensim goes on to the program.
"$gensim" -- sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done' &
pid=$!
sleep 0.3
kill -TERM $pid
wait $pid
check "forwarded signal" $? 9
left=$(ls "$TMPDIR")
[ -z "$left" ] || { echo "left behind: $left" >&2; bad=1; }
rm -rf "$TMPDIR"
exit $bad
