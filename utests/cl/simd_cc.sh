#!/bin/sh
# The compiler, SIMD_CC_REAL, with one width, SIMD_CC_WIDTH, for all kernels that require none.
exec "$SIMD_CC_REAL" --simd "$SIMD_CC_WIDTH" "$@"
