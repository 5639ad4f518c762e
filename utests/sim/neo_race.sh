#!/bin/sh
# gensim --check reports the kernels named race_* and no other.
# Usage: neo_race.sh GENSIM NEO_RACE
set -u
[ -r /etc/OpenCL/vendors/intel.icd ] || { echo "skipped: Intel's OpenCL driver is not installed" >&2; exit 77; }
OCL_ICD_VENDORS=/etc/OpenCL/vendors/intel.icd
export OCL_ICD_VENDORS
bad=0
races() { # of the kernels named
    "$gensim" --device skl-gt2 --check -- "$program" "$@" 2>&1 | grep -c 'data race'
}
gensim=$1
program=$2
found=$(races clean atomics spill)
[ "$found" = 0 ] || { echo "$found races where there are none" >&2; bad=1; }
for kernel in race_local race_global race_groups race_atomic; do
    found=$(races $kernel)
    [ "$found" != 0 ] || { echo "$kernel: no race found" >&2; bad=1; }
done
exit $bad
