#!/usr/bin/python3
"""Time to build each of the kernels in kernels/, by one driver.

Each is built --runs times in a process that has built something before, each time from a source
that no cache has seen (a comment with a salt is in it).  Two figures a kernel, medians of wall time
or means of processor time:

  build   clBuildProgram
  first   clBuildProgram up to the result of the first launch, of one work-group: drivers that
          compile at first use show that there

--clock wall takes the time that passes; --clock processor that of this process, its threads and,
where the driver compiles in a process of its own, that one's: the steadier on a busy machine.
With --cached every build but the first has a source that was built before.  The last lines are geometric
means; --save and --than compare: '--than FILE' prints the ratio to an earlier run's saved means.
"""
import argparse
import glob
import json
import math
import os
import sys
import time

MARK = 'KERNEL_BUILD_MARK=%d' % os.getpid()
os.environ.setdefault('PYOPENCL_NO_CACHE', '1')
os.environ['KERNEL_BUILD_MARK'] = str(os.getpid())  # to find the compiler's process again

import numpy as np  # noqa: E402
import pyopencl as cl  # noqa: E402

import kernel_run  # noqa: E402


def helpers():
    """Processes that this one has started, also those that detached themselves."""
    found = []
    for path in glob.glob('/proc/[0-9]*'):
        try:
            with open(path + '/environ', 'rb') as f:
                if MARK.encode() in f.read().split(b'\0') and int(path[6:]) != os.getpid():
                    found.append(path)
        except OSError:
            pass
    return found


def processor_time(paths):
    t = time.process_time()
    for path in paths:
        try:
            with open(path + '/stat') as f:
                words = f.read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        t += sum(int(w) for w in words[11:15]) / os.sysconf('SC_CLK_TCK')
    return t


def arguments(ctx, h):
    """Arguments of any content: what is computed doesn't matter, indices are in range."""
    mf, values = cl.mem_flags, []
    for a in h['args']:
        role = a[1]
        if role == 'scalar':
            values.append(kernel_run.TYPES[a[2]](float(a[3]) if a[2] in ('float', 'double') else int(a[3])))
        elif role == 'local':
            values.append(cl.LocalMemory(np.dtype(kernel_run.TYPES[a[2]]).itemsize * int(a[3])))
        elif role == 'image':
            order, ctype, _, _ = kernel_run.FORMATS[a[3]]
            values.append(cl.Image(ctx, mf.READ_ONLY if a[2] == 'in' else mf.WRITE_ONLY,
                                   cl.ImageFormat(order, ctype), shape=(int(a[4]), int(a[5]))))
        else:
            values.append(cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR,
                                    hostbuf=np.zeros(int(a[3]), kernel_run.TYPES[a[2]])))
    return values


def middle(values, clock):
    """Wall time has outliers; processor time of another process comes in steps of 10 ms."""
    return sum(values) / len(values) if clock == 'processor' else sorted(values)[len(values) // 2]


def mean(values):
    return math.exp(sum(math.log(max(v, 1e-6)) for v in values) / len(values))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('files', nargs='*', help='sources (default: all)')
    ap.add_argument('--runs', type=int, default=5)
    ap.add_argument('--clock', choices=('wall', 'processor'), default='processor')
    ap.add_argument('--options', default='-cl-std=CL1.2')
    ap.add_argument('--cached', action='store_true')
    ap.add_argument('--save', metavar='FILE')
    ap.add_argument('--than', metavar='FILE')
    a = ap.parse_args()
    device = cl.get_platforms()[0].get_devices()[0]
    ctx = cl.Context([device])
    queue = cl.CommandQueue(ctx)
    print("# platform '%s' device '%s'" % (device.platform.name, device.name.strip()))
    # no cache may know it: the driver's compiler is to be running from here on
    cl.Program(ctx, 'kernel void first(global int *o) { o[0] = 1; } // %d' % time.time_ns()).build(a.options)
    helping = helpers()
    now = (lambda: processor_time(helping)) if a.clock == 'processor' else time.perf_counter
    builds, firsts = {}, {}
    for path in a.files or sorted(glob.glob(os.path.join(kernel_run.HERE, '..', 'kernels', '*.cl'))):
        name = os.path.splitext(os.path.basename(path))[0]
        h = kernel_run.read_header(path)
        if [e for e in h['needs'] if e not in device.extensions.split()]:
            print('%-14s skipped' % name)
            continue
        with open(path) as f:
            text = f.read()
        values = arguments(ctx, h)
        local = h['local'] or tuple(min(g, 16) for g in h['global'])
        build, first = [], []
        for run in range(a.runs + a.cached):
            salt = '\n// %d %d' % (0 if a.cached else run, os.getpid() if a.cached else time.time_ns())
            t0 = now()
            kernel = cl.Kernel(cl.Program(ctx, text + salt).build(a.options), h['kernel'])
            t1 = now()
            kernel.set_args(*values)
            cl.enqueue_nd_range_kernel(queue, kernel, local, local)
            queue.finish()
            build.append(t1 - t0)
            first.append(now() - t0)
        builds[name] = 1e3 * middle(build[a.cached:], a.clock)
        firsts[name] = 1e3 * middle(first[a.cached:], a.clock)
        print('%-14s build %8.2f ms  first %8.2f ms' % (name, builds[name], firsts[name]), flush=True)
    print('kernel_build_build %.2f ms' % mean(builds.values()))
    print('kernel_build_first %.2f ms' % mean(firsts.values()))
    if a.than:
        with open(a.than) as f:
            other = json.load(f)
        for what, mine in (('build', builds), ('first', firsts)):
            common = [n for n in mine if n in other[what]]
            print('kernel_build_%s_ratio %.2f of %d kernels' % (
                what, mean([mine[n] / max(other[what][n], 1e-3) for n in common]), len(common)))
    if a.save:
        with open(a.save, 'w') as f:
            json.dump({'build': builds, 'first': firsts}, f)
    return 0


if __name__ == '__main__':
    sys.exit(main())
