#!/bin/sh
# Our compiler's code in Mesa's dispatch: Mesa's driver replaces its shader's code by a file named after the shader's
# hash. Without the swap the same program must fail: the shader computes something else.
# usage: hasvk_swap.sh TOP GENSIM DEVICE BEIGNET_CC HASVK_SWAP SPIRV_FOLDER
set -eu
top=$1 gensim=$2 device=$3 compiler=$4 program=$5 shaders=$6
[ -r "$VK_ICD_FILENAMES" ] || { echo "skipped: Mesa's Vulkan driver is not installed" >&2; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { # INTEL_DEBUG=cs names the shaders, and without it no code is replaced
    INTEL_DEBUG=cs "$gensim" --device "$device" -- "$program" "$shaders" >"$dir/log" 2>&1
}
if run; then
    echo "Mesa's own code gives our kernel's results" >&2
    exit 1
fi
hash=$(sed -n 's/^Native code for .*compute shader.*(sha1 \([0-9a-f]*\)).*/\1/p' "$dir/log" | tail -n 1)
[ -n "$hash" ] || { echo "Mesa names no shader" >&2; exit 1; }
"$compiler" --device "$device" -o "$dir/kernel" "$top/utests/sim/swap.cl"
# The section's place in the file: objcopy refuses a machine that it doesn't know.
set -- $(readelf -SW "$dir/kernel" | sed -n 's/.* \.text\.swap *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) *\([0-9a-f]*\) .*/0x\1 0x\2/p')
tail -c +$(($1 + 1)) "$dir/kernel" | head -c $(($2)) >"$dir/$hash.bin"
export INTEL_SHADER_ASM_READ_PATH="$dir"
run || { grep -E "failed|swap :|gensim:" "$dir/log" >&2; exit 1; }
grep -q "Successfully overrode shader with sha1 $hash" "$dir/log" || { echo "Mesa took its own code" >&2; exit 1; }
