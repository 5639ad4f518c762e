#!/bin/sh
# A rule of the hardware is broken on purpose: the judge, which passes without, has to fail.
# Usage: sabotage.sh GENSIM DEVICE RULE PROGRAM [ARGUMENT...]
set -u
gensim=$1
device=$2
rule=$3
shift 3
timeout 250 "$gensim" --device "$device" --hang-limit 50000000 --sabotage "$rule" -- "$@" >/dev/null 2>&1
status=$?
case $status in
0) echo "$rule broken on $device, and $(basename "$1") does not notice" >&2; exit 1 ;;
77) echo "skipped: $(basename "$1") can't run here" >&2; exit 77 ;;
12[4-7]) echo "gensim: status $status" >&2; exit 1 ;;
esac
