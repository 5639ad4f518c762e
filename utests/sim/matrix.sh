#!/bin/sh
# Every device that gensim knows against every judge that knows the device, as a markdown table. Not part of the
# suite: it takes most of an hour.
# usage: matrix.sh TOP BUILD [DEVICE...]     BUILD holds everything, tests too; its references of pocl are made if
#                                            they are missing
set -u
top=$1 build=$2
shift 2
gensim=$build/sim/gensim
icd=/etc/OpenCL/vendors/intel.icd
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export BEIGNET_CACHE=0 NEO_CACHE_PERSISTENT=0 PYOPENCL_NO_CACHE=1 MESA_SHADER_CACHE_DISABLE=true

verdict() { # command...: "yes", "skipped", or "NO" with the last lines on stderr
    timeout 900 "$@" >"$log" 2>&1
    case $? in
    0)  printf ' yes |' ;;
    77) printf ' skipped |' ;;
    *)  printf ' **NO** |'
        echo "$*:" >&2
        tail -n 4 "$log" >&2 ;;
    esac
}

ours() { # device test...: all of them, as one
    device=$1
    shift
    for t in "$@"; do
        OCL_ICD_VENDORS=$build/vendors "$gensim" --device "$device" -- "$build/utests/test-cl-$t" || return
    done
}

mesa() { # device: the Vulkan driver that takes it
    case $1 in
    skl*|kbl*|cfl*|bxt*|glk*) VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/intel_icd.x86_64.json ;;
    *) VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/intel_hasvk_icd.x86_64.json ;;
    esac
    export VK_ICD_FILENAMES
    for t in hasvk hasvk_flow hasvk_data; do
        "$gensim" --device "$1" -- "$build/utests/test-sim-$t" "$build/utests/sim-shaders" || return
    done
}

neo() { # device: all that needs no second program
    for t in neo_vecadd neo_peak; do
        OCL_ICD_VENDORS=$icd "$gensim" --device "$1" -- "$build/utests/test-sim-$t" || return
    done
}

# `timeout` runs no function: this script calls itself for one.
if [ "${1-}" = --part ]; then
    shift
    "$@"
    exit
fi

[ $# -gt 0 ] || set -- $("$gensim" --list-devices | awk 'NR > 1 { print $1 }')
[ -d "$build/kernels-pocl-keep" ] || "$top/utests/cl/kernels.sh" "$top" "$build" pocl >/dev/null || exit 1

echo '| device | our tests | our kernels | Intel: devices | Intel: programs | Intel: kernels | Mesa: Vulkan |'
echo '|---|---|---|---|---|---|---|'
for device in "$@"; do
    printf '| %s |' "$device"
    verdict "$0" "$top" "$build" --part ours "$device" lang groups buffers events
    verdict "$top/utests/cl/kernels.sh" "$top" "$build" "$device"
    case $device in
    bdw*|skl*|kbl*|cfl*|bxt*|glk*)
        verdict "$top/utests/sim/neo_info.py" "$gensim" "$device"
        verdict "$0" "$top" "$build" --part neo "$device"
        verdict "$top/utests/cl/kernels.sh" "$top" "$build" "$device" $icd ;;
    *)  printf ' - | - | - |' ;;
    esac
    verdict "$0" "$top" "$build" --part mesa "$device"
    echo
done
