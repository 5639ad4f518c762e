#!/bin/sh
# Runs programs that others wrote on a simulated device: they judge their own results.
# usage: clients.sh BUILD DEVICE [CLIENT...]     without clients: all of them, some minutes each
set -u
build=$1 device=$2
shift 2
export OCL_ICD_VENDORS="$build/vendors" BEIGNET_CACHE=0 PYOPENCL_NO_CACHE=1
# Not xamax: its form for halves fails alike with Intel's driver (all others pass with ours).
all="clblast:xscal clblast:xcopy clblast:xaxpy clblast:xswap clblast:xhad clblast:xasum clblast:xnrm2 clblast:xdot
    clfft:-x,64 clfft:-x,32,-y,32 clfft:-x,8,-y,8,-z,8 clfft:-x,60,-b,2 clfft:-x,64,--inLayout,2,--outLayout,2"
[ $# -gt 0 ] || set -- $all
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for client; do
    name=${client%%:*} what=${client#*:}
    case "$name" in
    clblast) command="clblast_test_$what -platform 0 -device 0" good="100.0%" bad='[1-9][0-9]* test(s) failed' ;;
    clfft)   command="clFFT-client -g $(echo "$what" | tr , ' ')" good='\*PASS\*' bad='\*FAIL' ;;
    *)       echo "no such client: $client" >&2; exit 2 ;;
    esac
    command -v "${command%% *}" >/dev/null || { echo "skipped: needs ${command%% *} (clblast-tests, clfft-client)"; exit 77; }
    start=$(date +%s)
    # shellcheck disable=SC2086 # the command is words
    "$build/sim/gensim" --device "$device" --hang-limit 2000000000 -- $command >"$log" 2>&1
    result=$?
    if [ $result -eq 0 ] && grep -q "$good" "$log" && ! grep -q "$bad" "$log"; then
        echo "$client on $device: pass, $(($(date +%s) - start)) s"
    else
        echo "$client on $device: FAILED, status $result"
        tail -20 "$log"
        status=1
    fi
done
exit $status
