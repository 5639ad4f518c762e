#!/bin/sh
# Runs the measuring kernels on a simulated device and compares with pocl: integers exactly, floats within the
# bounds that kernel_run.py names. For our driver denormals are zero on both sides, as our devices don't report
# CL_FP_DENORM. With ICD another driver is run, which keeps denormals and may leave out none of the kernels.
# usage: kernels.sh TOP BUILD pocl|DEVICE [ICD]     "pocl" first: it makes the references
set -eu
top=$1 build=$2 device=$3 icd=${4-}
[ -f /etc/OpenCL/vendors/pocl.icd ] && /usr/bin/python3 -c 'import pyopencl' 2>/dev/null || {
    echo "skipped: needs pocl-opencl-icd and python3-pyopencl"
    exit 77
}
[ -z "$icd" ] || [ -r "$icd" ] || { echo "skipped: there is no $icd"; exit 77; }
reference=$build/kernels-pocl
export PYOPENCL_NO_CACHE=1 POCL_CACHE_DIR="$build/pocl-cache" BEIGNET_CACHE=0 NEO_CACHE_PERSISTENT=0
script="/usr/bin/python3 $top/benchmark/kernel_run.py --runs 0 --ulp 64"
flush="-cl-std=CL1.2 -cl-denorms-are-zero"
keep="-cl-std=CL1.2"
mkdir -p "$reference" "$POCL_CACHE_DIR"
if [ "$device" = pocl ]; then
    export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
    $script --options="$flush" --save "$reference"
    $script --options="$keep" --save "$reference-keep"
    exit
fi
gensim="$build/sim/gensim --device $device --"
if [ -z "$icd" ]; then
    export OCL_ICD_VENDORS="$build/vendors"
    exec $gensim $script --options="$flush" --check "$reference"
fi
export OCL_ICD_VENDORS="$icd"
out=$($gensim $script --options="$keep" --check "$reference-keep") && status=0 || status=$?
echo "$out"
case "$out" in *skipped*) echo "kernels left out" >&2; exit 1 ;; esac
exit $status
