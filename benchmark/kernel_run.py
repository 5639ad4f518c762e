#!/usr/bin/python3
"""Run the kernels in kernels/ on an OpenCL device from their header comments.

Each source starts with lines that say how to launch it:

  //@ kernel NAME            the entry point
  //@ needs EXTENSION        skip where the device lacks it
  //@ global X [Y [Z]]       global size            //@ local X [Y [Z]]
  //@ arg NAME in|out|inout TYPE COUNT     a global buffer
  //@ arg NAME constant TYPE COUNT         a __constant buffer
  //@ arg NAME local TYPE COUNT            local memory
  //@ arg NAME scalar TYPE VALUE
  //@ arg NAME ramp TYPE COUNT STEP        0, STEP, 2*STEP ...
  //@ arg NAME index TYPE COUNT LIMIT      random values below LIMIT
  //@ arg NAME image in|out FORMAT WIDTH HEIGHT

Inputs are the same on every device (a fixed generator: floats in [0, 1),
integers over their full range); out buffers start as zero.  For each kernel the
script prints the result's checksum and the median time of a launch.  With
--save DIR the results are kept; with --check DIR they are compared with kept
ones: integers exactly, floats within --ulp and --abs.

The last line printed is 'kernels_wrong VALUE kernels'.
"""
import argparse
import glob
import os
import sys
import time
import zlib

import numpy as np

os.environ['PYOPENCL_NO_CACHE'] = '1'   # pyopencl's own knows nothing of a new driver
import pyopencl as cl

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {'uint': np.uint32, 'int': np.int32, 'float': np.float32, 'half': np.float16,
         'uchar': np.uint8, 'char': np.int8, 'short': np.int16,
         'ushort': np.uint16, 'double': np.float64}
FORMATS = {
    'rgba_unorm8': (cl.channel_order.RGBA, cl.channel_type.UNORM_INT8, np.uint8, 4),
    'rgba_uint8': (cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8, np.uint8, 4),
    'r_float': (cl.channel_order.R, cl.channel_type.FLOAT, np.float32, 1),
}


def read_header(path):
    h = {'args': [], 'needs': [], 'local': None}
    with open(path) as f:
        for line in f:
            if not line.startswith('//@'):
                continue
            w = line[3:].split()
            if w[0] == 'arg':
                h['args'].append(w[1:])
            elif w[0] == 'needs':
                h['needs'] += w[1:]
            elif w[0] == 'kernel':
                h['kernel'] = w[1]
            else:
                h[w[0]] = tuple(int(x) for x in w[1:])
    return h


def fill(rs, dtype, count):
    if np.issubdtype(dtype, np.floating):
        return rs.random_sample(count).astype(dtype)
    info = np.iinfo(dtype)
    return rs.randint(info.min, info.max, count, dtype=dtype)


def run_one(ctx, queue, path, runs, options, launch=True):
    h = read_header(path)
    dev = queue.device
    missing = [e for e in h['needs'] if e not in dev.extensions.split()]
    if missing:
        return None, 'needs ' + missing[0], 0
    if not dev.image_support and any(a[1] == 'image' for a in h['args']):
        return None, 'needs images', 0
    with open(path) as f:
        prog = cl.Program(ctx, f.read()).build(options)
    kern = getattr(prog, h['kernel'])
    rs = np.random.RandomState(zlib.crc32(h['kernel'].encode()) & 0xffff)
    mf = cl.mem_flags
    values, reset, outs = [], [], []
    for a in h['args']:
        name, role = a[0], a[1]
        if role == 'scalar':
            values.append(TYPES[a[2]](float(a[3]) if a[2] in ('half', 'float', 'double')
                                      else int(a[3])))
        elif role == 'local':
            values.append(cl.LocalMemory(np.dtype(TYPES[a[2]]).itemsize * int(a[3])))
        elif role == 'image':
            order, ctype, dtype, ch = FORMATS[a[3]]
            shape = (int(a[4]), int(a[5]))
            host = fill(rs, dtype, shape[0] * shape[1] * ch)
            if a[2] == 'in':
                img = cl.Image(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR,
                               cl.ImageFormat(order, ctype), shape=shape, hostbuf=host)
            else:
                img = cl.Image(ctx, mf.WRITE_ONLY, cl.ImageFormat(order, ctype),
                               shape=shape)
                outs.append((name, img, np.zeros_like(host), shape))
            values.append(img)
        else:
            dtype, count = TYPES[a[2]], int(a[3])
            if role == 'out':
                host = np.zeros(count, dtype)
            elif role == 'ramp':
                host = (np.arange(count) * int(a[4])).astype(dtype)
            elif role == 'index':
                host = rs.randint(0, int(a[4]), count).astype(dtype)
            else:
                host = fill(rs, dtype, count)
            buf = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=host)
            values.append(buf)
            if role in ('out', 'inout'):
                outs.append((name, buf, np.empty_like(host), None))
            if role == 'inout':
                reset.append((buf, host))
    result = {}
    if launch:
        kern(queue, h['global'], h['local'], *values)
    for name, obj, host, shape in outs:
        if shape:
            cl.enqueue_copy(queue, host, obj, origin=(0, 0), region=shape)
        else:
            cl.enqueue_copy(queue, host, obj)
        result[name] = host
    queue.finish()
    times = []
    for _ in range(runs):
        for buf, host in reset:
            cl.enqueue_copy(queue, buf, host)
        queue.finish()
        t = time.perf_counter()
        kern(queue, h['global'], h['local'], *values)
        queue.finish()
        times.append(time.perf_counter() - t)
    return result, '', sorted(times)[len(times) // 2] if times else 0.0


def compare(got, want, ulp, abs_tol):
    if not np.issubdtype(want.dtype, np.floating):
        return int(np.count_nonzero(got != want))
    gap = np.abs(got.astype(np.float64) - want.astype(np.float64))
    room = np.maximum(ulp * np.spacing(np.abs(want)).astype(np.float64), abs_tol)
    same = (got == want) | (np.isnan(got) & np.isnan(want)) | (gap <= room)
    return int(np.count_nonzero(~same))


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('files', nargs='*', help='sources (default: all)')
    ap.add_argument('--platform', default='', help="part of the platform's name")
    ap.add_argument('--device', type=int, default=0)
    ap.add_argument('--runs', type=int, default=5, help='timed launches of each')
    ap.add_argument('--no-launch', action='store_true',
                    help='do all but launch: what a driver does besides (implies --runs 0)')
    ap.add_argument('--options', default='-cl-std=CL1.2')
    ap.add_argument('--save', metavar='DIR')
    ap.add_argument('--check', metavar='DIR')
    ap.add_argument('--ulp', type=float, default=64)
    ap.add_argument('--abs', type=float, default=1e-4)
    a = ap.parse_args()
    dev = None
    for p in cl.get_platforms():
        if a.platform in p.name and len(p.get_devices()) > a.device:
            dev = p.get_devices()[a.device]
            break
    if dev is None:
        raise SystemExit('no such OpenCL device')
    ctx = cl.Context([dev])
    queue = cl.CommandQueue(ctx)
    print("# platform '%s' device '%s'" % (dev.platform.name, dev.name))
    wrong = 0
    for path in a.files or sorted(glob.glob(os.path.join(HERE, '..', 'kernels', '*.cl'))):
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            result, skip, t = run_one(ctx, queue, path, 0 if a.no_launch else a.runs, a.options,
                                      not a.no_launch)
        except Exception as e:               # a failing kernel must not hide the rest
            print('%-14s ERROR %s' % (name, str(e).strip().splitlines()[0]))
            wrong += 1
            continue
        if result is None:
            print('%-14s skipped: %s' % (name, skip))
            continue
        crc = 0
        for k in sorted(result):
            crc = zlib.crc32(result[k].tobytes(), crc)
        note = ''
        if a.save:
            os.makedirs(a.save, exist_ok=True)
            np.savez_compressed(os.path.join(a.save, name + '.npz'), **result)
        if a.check and result:
            ref = np.load(os.path.join(a.check, name + '.npz'))
            bad = sum(compare(result[k], ref[k], a.ulp, a.abs) for k in result)
            note = 'ok' if not bad else 'WRONG in %d elements' % bad
            wrong += bad != 0
        print('%-14s crc %08x  %10.1f us  %s' % (name, crc, t * 1e6, note))
        sys.stdout.flush()
    print('kernels_wrong %d kernels' % wrong)
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
