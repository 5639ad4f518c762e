#!/bin/sh
# What is found on machines of all kinds, and what is said of it: by the driver (nothing, unless BEIGNET_DEBUG asks)
# and by beignet-doctor. Usage: nodes.sh BUILD
set -u
build=$1
bad=0
dir=$(mktemp -d)
export OCL_ICD_VENDORS=$build/vendors XDG_CACHE_HOME=$dir/cache
unset DISPLAY BEIGNET_DEBUG BEIGNET_CACHE
trap 'rm -rf "$dir"' EXIT

# machine NAME "OPTIONS OF GENSIM" DEVICES "WHAT BEIGNET_DEBUG SAYS" "WHAT THE DOCTOR SAYS"
machine() {
    timeout 60 "$build/sim/gensim" $2 -- "$build/utests/test-cl-nodes" "$3" > "$dir/out" 2> "$dir/err" ||
        { echo "$1: test-cl-nodes failed" >&2; cat "$dir/out" "$dir/err" >&2; bad=1; }
    grep -v -e '^gensim:' -e '^note:' -e '[0-9] checks, ' "$dir/err" | grep . && { echo "$1: the driver is not silent" >&2; bad=1; }
    BEIGNET_DEBUG=devices timeout 60 "$build/sim/gensim" $2 -- "$build/utests/test-cl-nodes" "$3" count > /dev/null 2> "$dir/err"
    grep -q -e "beignet: devices: .*$4" "$dir/err" ||
        { [ -z "$4" ] && ! grep -q "beignet: devices:" "$dir/err"; } ||
        { echo "$1: BEIGNET_DEBUG does not say: $4" >&2; cat "$dir/err" >&2; bad=1; }
    timeout 60 "$build/sim/gensim" $2 -- "$build/src/beignet-doctor" > "$dir/out" 2>/dev/null
    status=$?
    [ $status = $([ "$3" = 0 ]; echo $((!$?))) ] ||
        { echo "$1: beignet-doctor's status is $status" >&2; cat "$dir/out" >&2; bad=1; }
    grep -q -e "$5" "$dir/out" || { echo "$1: beignet-doctor does not say: $5" >&2; cat "$dir/out" >&2; bad=1; }
    [ "$(grep -c ': computes' "$dir/out")" = "$3" ] || { echo "$1: the doctor's trial" >&2; cat "$dir/out" >&2; bad=1; }
}
machine one "--device skl" 1 "" "Intel(R) HD Graphics 530: computes"
machine two "--device hsw-gt2,skl-gt2" 2 "" "renderD129: Intel(R) HD Graphics 530, 24 execution units"
machine four "--device ivb,byt,bdw,chv" 4 "" "All is well"
machine "shared memory of two" "--device bdw,skl" 2 "" "All is well"
machine "card nodes only" "--device ivb,bdw --kernel norender" 2 "" "card1: Intel"
machine "no nodes" "--kernel nonodes" 0 "there is no /dev/dri" "there is no /dev/dri"
machine "no permission" "--kernel noaccess" 0 "renderD128: no permission" "card0: no permission"
machine "no login" "--kernel norender,auth" 0 "card0: not authenticated" "-> a card node without a render node"
machine "too new" "--kernel id=0x9a49" 0 "renderD128: not a GPU of Gen7" "8086:9a49, not a GPU of Gen7, 7.5, 8 or 9"
machine "too old a kernel" "--kernel nowait" 0 "the kernel is too old" "-> use a newer kernel"
# An id that no list has is taken for its neighbours by the figures of the kernel, if libdrm_intel takes it at all; those
# of Debian 12 and 13 don't.
machine "an unknown Skylake" "--device skl --kernel id=0x1914" 0 "libdrm_intel does not accept" "8086:1914, not a known id, taken for a Skylake"
machine "larger than any" "--device skl-gt4 --kernel id=0x3183" 0 "not a GPU of Gen7" "not a GPU of Gen7, 7.5, 8 or 9"
machine "no figures" "--device bdw-gt2 --kernel notopology" 1 "how many execution units" "24 execution units"
machine "no userptr" "--device skl --kernel nouserptr" 1 "no userptr" "no userptr"
machine "no PRIME" "--device ivb,chv --kernel noprime" 2 "no PRIME" "no memory of others can be imported"
machine "no softpin" "--device skl --kernel nosoftpin" 1 "no softpin" "no softpin"
machine "nothing" "--device bdw --kernel nosoftpin,nouserptr,notopology,noquery" 1 "no softpin" "no userptr"
machine "no local memory" "--device hsw --kernel nol3" 1 "set up L3" "computes, without local memory"
machine "no local memory on Ivy Bridge" "--device ivb --kernel nol3" 1 "set up L3" "computes, without local memory"
machine "no atomics in L3" "--device hsw --kernel parser=3" 1 "keeps atomics out of L3" "keeps atomics out of L3"

# Without GPU nothing waits for anything.
start=$(date +%s)
"$build/sim/gensim" --kernel nonodes -- "$build/utests/test-cl-nodes" 0 || bad=1
[ $(($(date +%s) - start)) -le 2 ] || { echo "slow without a GPU" >&2; bad=1; }

# What else the doctor finds: no drivers, one that isn't there, no compiler.
mkdir "$dir/empty" "$dir/broken"
echo /nonexistent/libfoo.so > "$dir/broken/foo.icd"
cp "$build/vendors/beignet.icd" "$dir/broken"
OCL_ICD_VENDORS=$dir/empty "$build/sim/gensim" -- "$build/src/beignet-doctor" > "$dir/out" && bad=1
grep -q 'install package beignet-opencl-icd' "$dir/out" || { echo "no drivers" >&2; cat "$dir/out" >&2; bad=1; }
OCL_ICD_VENDORS=$dir/broken "$build/sim/gensim" -- "$build/src/beignet-doctor" > "$dir/out" || bad=1
grep -q '! foo.icd: .*libfoo' "$dir/out" || { echo "a driver that isn't there" >&2; cat "$dir/out" >&2; bad=1; }
BEIGNET_CACHE=0 BEIGNET_CC=/nonexistent "$build/sim/gensim" -- "$build/src/beignet-doctor" > "$dir/out" 2>/dev/null && bad=1
grep -q 'the compiler, beignet-cc' "$dir/out" || { echo "no compiler" >&2; cat "$dir/out" >&2; bad=1; }
"$build/src/beignet-doctor" --help | grep -q '^usage' || bad=1
exit $bad
