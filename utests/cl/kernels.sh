#!/bin/sh
# Runs the measuring kernels on a simulated device and compares with pocl: integers exactly, floats within the
# bounds that kernel_run.py names. usage: kernels.sh TOP BUILD DEVICE
set -eu
top=$1 build=$2 device=$3
[ -f /etc/OpenCL/vendors/pocl.icd ] && /usr/bin/python3 -c 'import pyopencl' 2>/dev/null || {
    echo "skipped: needs pocl-opencl-icd and python3-pyopencl"
    exit 77
}
work=$build/kernels-$device
mkdir -p "$work"
export PYOPENCL_NO_CACHE=1 POCL_CACHE_DIR="$build/pocl-cache"
mkdir -p "$POCL_CACHE_DIR"
OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd /usr/bin/python3 "$top/benchmark/kernel_run.py" --runs 0 --save "$work" \
    >"$work/pocl.log" 2>&1 || { cat "$work/pocl.log"; exit 1; }
OCL_ICD_VENDORS=$build/vendors BEIGNET_CACHE=0 "$build/sim/gensim" --device "$device" -- \
    /usr/bin/python3 "$top/benchmark/kernel_run.py" --runs 0 --check "$work" --ulp 64
