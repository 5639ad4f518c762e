#!/bin/sh
# Runs the measuring kernels on a simulated device and compares with pocl: integers exactly, floats within the
# bounds that kernel_run.py names. Denormals are zero on both: our devices don't report CL_FP_DENORM.
# usage: kernels.sh TOP BUILD pocl|DEVICE      "pocl" first: it makes the reference
set -eu
top=$1 build=$2 device=$3
[ -f /etc/OpenCL/vendors/pocl.icd ] && /usr/bin/python3 -c 'import pyopencl' 2>/dev/null || {
    echo "skipped: needs pocl-opencl-icd and python3-pyopencl"
    exit 77
}
reference=$build/kernels-pocl
run="/usr/bin/python3 $top/benchmark/kernel_run.py --runs 0"
options="-cl-std=CL1.2 -cl-denorms-are-zero"
export PYOPENCL_NO_CACHE=1 POCL_CACHE_DIR="$build/pocl-cache"
mkdir -p "$reference" "$POCL_CACHE_DIR"
if [ "$device" = pocl ]; then
    OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd $run --options "$options" --save "$reference"
else
    OCL_ICD_VENDORS=$build/vendors BEIGNET_CACHE=0 "$build/sim/gensim" --device "$device" -- \
        $run --options "$options" --check "$reference" --ulp 64
fi
