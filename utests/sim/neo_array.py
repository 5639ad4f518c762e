#!/usr/bin/python3
"""pyopencl's arrays on an OpenCL device: arithmetic, functions, reductions, a scan, against numpy.

Usage: gensim --device DEVICE -- neo_array.py (OCL_ICD_VENDORS names the driver)
"""
import os
import sys


def skip(why):
    print('skipped: ' + why, file=sys.stderr)
    sys.exit(77)


ICD = os.environ.get('OCL_ICD_VENDORS', '')
if not os.access(ICD, os.R_OK):
    skip('there is no driver ' + ICD)
os.environ['PYOPENCL_NO_CACHE'] = '1'
try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as cla
    import pyopencl.clmath as clmath
    from pyopencl.elementwise import ElementwiseKernel
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import GenericScanKernel
except ImportError as e:
    skip(str(e))

N = 5000
FAILED = []


def check(name, got, want, ulp=0):
    """Equal if ulp is 0, else within so many units in the last place of a float."""
    got = got.get() if isinstance(got, cla.Array) else np.asarray(got)
    want = np.asarray(want)
    if ulp:
        ok = np.all(np.abs(got - want) <= ulp * np.spacing(np.abs(want).astype(np.float32)).astype(np.float64))
    else:
        ok = np.array_equal(got, want)
    if not ok:
        FAILED.append(name)
        print('%s: %s, not %s' % (name, got.ravel()[:4], want.ravel()[:4]), file=sys.stderr)


def main():
    device = cl.get_platforms()[0].get_devices()[0]
    ctx = cl.Context([device])
    queue = cl.CommandQueue(ctx)
    rs = np.random.RandomState(1)
    host = {
        'int32': rs.randint(-10**6, 10**6, N).astype(np.int32),
        'uint8': rs.randint(0, 256, N).astype(np.uint8),
        'int64': rs.randint(-2**62, 2**62, N),
        # Quarters: sums and products below are exact.
        'float32': (rs.randint(-4000, 4000, N) * 0.25).astype(np.float32),
    }
    if device.double_fp_config:
        host['float64'] = rs.randint(-10**6, 10**6, N) * 0.125
    for name, a in host.items():
        b = np.roll(a, 7)
        x, y = cla.to_device(queue, a), cla.to_device(queue, b)
        check(name + ' +', x + y, a + b)
        check(name + ' *', x * y, a * b)
        check(name + ' max', cla.maximum(x, y), np.maximum(a, b))
        if name not in ('int32', 'float32'): # the driver's compiler takes a second for some of these kernels
            continue
        check(name + ' -', x - y, a - b)
        check(name + ' slice', x[5:100], a[5:100])
        check(name + ' largest', cla.max(x), a.max())
        check(name + ' sum', cla.sum(x), a.sum(dtype=a.dtype))
        check(name + ' take', cla.take(x, cla.to_device(queue, np.arange(0, N, 3, dtype=np.int32))), a[::3])
        check(name + ' where', cla.if_positive(x, y, x), np.where(a > 0, b, a))

    f = (np.abs(host['float32']) + 1) * np.float32(0.01)
    x = cla.to_device(queue, f)
    for name, ulp in (('sin', 4), ('cos', 4), ('exp', 3), ('log', 3), ('sqrt', 3), ('tanh', 5),
                      ('floor', 0)):
        check('clmath.' + name, getattr(clmath, name)(x), getattr(np, name)(f.astype(np.float64)), ulp)

    i = cla.to_device(queue, host['int32'])
    axpy = ElementwiseKernel(ctx, 'int *z, int a, const int *x', 'z[i] = a * x[i] + (int)i', 'axpy')
    z = cla.empty_like(i)
    axpy(z, 3, i)
    check('xor', i ^ z, host['int32'] ^ (3 * host['int32'] + np.arange(N, dtype=np.int32)))
    check('elementwise', z, 3 * host['int32'] + np.arange(N, dtype=np.int32))
    dot = ReductionKernel(ctx, np.int32, neutral='0', reduce_expr='a + b', map_expr='x[i] * (int)(i & 15)',
                          arguments='__global const int *x')
    check('reduction', dot(i).get(), (host['int32'] * (np.arange(N, dtype=np.int32) & 15)).sum(dtype=np.int32))
    scan = GenericScanKernel(ctx, np.int32, arguments='__global const int *x, __global int *out', input_expr='x[i]',
                             scan_expr='a + b', neutral='0', output_statement='out[i] = item;')
    scan(i, z)
    check('scan', z, np.cumsum(host['int32'], dtype=np.int32))
    m = cla.to_device(queue, host['int32'][:4096].reshape(64, 64))
    check('fill', cla.zeros(queue, 777, np.int32) + 5, np.full(777, 5, np.int32))
    check('row', m[3], host['int32'][192:256])
    print('%s: %d failed' % (device.name, len(FAILED)))
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())
