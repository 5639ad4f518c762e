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
"$gensim" --list-devices | grep -q '^skl-gt2  *0x1912 .* 3  *24  *168 ' || { echo "no device list" >&2; bad=1; }
"$gensim" --help | grep -q -- '--device' || { echo "no help" >&2; bad=1; }
"$gensim" --device skl-gt2 -- sh -c 'exit 3'; check status $? 3
"$gensim" -- sh -c 'kill -TERM $$' 2>/dev/null; check signal $? 143
"$gensim" -- /nonexistent 2>/dev/null; check "not found" $? 127
"$gensim" -- / 2>/dev/null; check "not executable" $? 126
"$gensim" 2>/dev/null; check "no program" $? 125
# A wrong option: its name and what it wants, on one line.
for option in --device=none --device --nothing --stats=1 --stats=json: --trace=:0 \
    --trace=k:a --trace=k:0:x --trace=k:1,2,3,4 --trace-limit=x --check=1 --fault=x --fault=any:0:EIO \
    --fault=gem_create:1:EWHAT --fault=hang:x --perturb=-1 --hang-limit=x --threads=-1 --delay=1s --kernel=what; do
    said=$("$gensim" $option -- true 2>&1); check "$option" $? 125
    name=${option%%[=:]*}
    case $said in "gensim: $name"*:*[a-z]*) ;; *) echo "$option: says \"$said\"" >&2; bad=1;; esac
    [ "$(echo "$said" | wc -l)" = 1 ] || { echo "$option: says more than a line" >&2; bad=1; }
done
for option in --stats=table --stats=json --stats=:x --stats:x --trace=k --trace=k:3 --trace=k:1,2,3:4 --check=stop; do
    "$gensim" $option -- true; check "$option" $? 0
done
# Every option of the help stands in the manual, with an example.
tr -d '\\' < "$(dirname "$0")/../../docs/gensim.1" > "$TMPDIR/manual"
for name in $("$gensim" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
    grep -q "^\.B.*--$name\b" "$TMPDIR/manual" || { echo "--$name is not in the manual" >&2; bad=1; }
    case $name in help|list-devices) continue;; esac
    grep -q "gensim .*--$name\b.* -- " "$TMPDIR/manual" || { echo "--$name: no example in the manual" >&2; bad=1; }
done
rm "$TMPDIR/manual"
"$gensim" --device=0x0412 --stats --check --trace-limit 3 --fault any:99:EIO,execbuffer2:3+:EINTR,hang:4 --perturb 7 \
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
