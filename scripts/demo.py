#!/usr/bin/python3
"""Runs pyopencl and clmath on a beignet device and judges every result.

Arrays of 10^6 floats: sin, exp, sqrt, pow, sums and comparisons against numpy in double precision, with
the error bounds of the OpenCL specification; then a long chain of operations with regular waits, during
which the process must not grow.
"""

import argparse
import os
import sys
import time

import numpy as np


def bar(done, total, text):
    """Draws a progress bar over the present line (a terminal), or a dot now and then."""
    width = 30
    n = int(width * done / total)
    if sys.stdout.isatty():
        sys.stdout.write("\r  [%s%s] %3d %%  %-40s" % ("#" * n, "." * (width - n), 100 * done // total, text))
        if done == total:
            sys.stdout.write("\r" + " " * 90 + "\r")
        sys.stdout.flush()


def row(name, value, bound, ok):
    print("  %-28s %-22s %-22s %s" % (name, value, bound, "ok" if ok else "WRONG"))
    return ok


def resident_kib():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def ulp_error(got, want):
    """Largest error of float32 `got` against float64 `want`, in units of want's last place."""
    want32 = want.astype(np.float32)
    spacing = np.spacing(np.maximum(np.abs(want32), np.float32(2.0**-126))).astype(np.float64)
    return float(np.max(np.abs(got.astype(np.float64) - want) / spacing))


def find_device():
    import pyopencl as cl

    for platform in cl.get_platforms():
        if "beignet" in platform.name.lower():
            return platform.get_devices()[0]
    raise RuntimeError("no beignet platform")


def run(n, n_chain):
    import warnings

    import pyopencl as cl
    import pyopencl.array
    import pyopencl.clmath as clmath

    # pyopencl's own kernels write 1./0, a double constant; the compiler's warning is of no use here.
    warnings.simplefilter("ignore", cl.CompilerWarning)
    device = find_device()
    print("  %s, %s" % (device.name, device.version))
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    rng = np.random.default_rng(1)
    a = (rng.random(n, dtype=np.float32) * 200 - 100).astype(np.float32)
    b = (rng.random(n, dtype=np.float32) * 4 - 2).astype(np.float32)
    pos = np.abs(a) + np.float32(0.5)
    da, db, dpos = (cl.array.to_device(queue, x) for x in (a, b, pos))
    a64, b64, pos64 = (x.astype(np.float64) for x in (a, b, pos))

    # name, what the device computes, the same in double, bound in ulp (OpenCL C 1.2, section 7.4)
    tests = [
        ("sin(x)", lambda: clmath.sin(da), np.sin(a64), 4),
        ("cos(x)", lambda: clmath.cos(da), np.cos(a64), 4),
        ("exp(x)", lambda: clmath.exp(db), np.exp(b64), 3),
        ("log(x)", lambda: clmath.log(dpos), np.log(pos64), 3),
        ("sqrt(x)", lambda: clmath.sqrt(dpos), np.sqrt(pos64), 3),
        ("pow(x, y)", lambda: dpos**db, np.power(pos64, b64), 16),
        ("x + y", lambda: da + db, a64 + b64, 0.5),
        ("x * y", lambda: da * db, a64 * b64, 0.5),
        ("x / y", lambda: da / dpos, a64 / pos64, 2.5),
    ]
    ok = True
    print("  %-28s %-22s %-22s" % ("%d floats" % n, "largest error", "allowed"))
    for i, (name, compute, want, bound) in enumerate(tests):
        bar(i, len(tests), name)
        got = compute().get()
        bar(i + 1, len(tests), "")
        error = ulp_error(got, want)
        ok &= row(name, "%.2f ulp" % error, "%g ulp" % bound, error <= bound)

    total = float(cl.array.sum(da).get())
    want = float(np.sum(a64))
    error = abs(total - want) / float(np.sum(np.abs(a64)))
    # A tree of additions: each level adds at most half an ulp of the sum of magnitudes.
    ok &= row("sum(x)", "%.1e relative" % error, "%.1e" % (20 * 2.0**-24), error <= 20 * 2.0**-24)
    greater = (da > db).get()
    ok &= row("x > y", "%d differ" % np.sum(greater.astype(bool) != (a > b)), "0",
              np.array_equal(greater.astype(bool), a > b))
    low, high = float(cl.array.min(da).get()), float(cl.array.max(da).get())
    ok &= row("min(x), max(x)", "%g, %g" % (low, high), "%g, %g" % (a.min(), a.max()),
              low == a.min() and high == a.max())

    print("  A chain of %d operations, a wait every 100:" % n_chain)
    x = cl.array.zeros(queue, 256, np.float32)
    start = time.time()
    marks = []
    steps = 10
    for i in range(n_chain):
        x = x + np.float32(1)
        if i % 100 == 99:
            queue.finish()
        if (i + 1) % (n_chain // steps) == 0:
            marks.append(resident_kib())
            bar(i + 1, n_chain, "%d KiB resident" % marks[-1])
            if not sys.stdout.isatty():
                print("    %7d operations  %7d KiB resident  %6.1f s" % (i + 1, marks[-1], time.time() - start))
    got = x.get()
    # Adding 1.0 up to 2^24 is exact.
    ok &= row("result", "%g" % got[0], "%d" % n_chain, bool(np.all(got == n_chain)))
    per_op = (marks[-1] - marks[1]) * 1024.0 / (n_chain * (steps - 2) / steps)
    ok &= row("memory kept", "%.2f bytes/operation" % per_op, "32", per_op < 32)
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probe", action="store_true", help="only tell (exit status) whether there is a device")
    parser.add_argument("--size", type=int, default=10**6, help="floats in an array")
    parser.add_argument("--chain", type=int, default=10**5, help="operations in the chain")
    args = parser.parse_args()
    try:
        if args.probe:
            find_device()
            return 0
        start = time.time()
        ok = run(args.size, args.chain)
        print("  %s  (%.0f s)" % ("Every result is right." if ok else "NOT every result is right.", time.time() - start))
        return 0 if ok else 1
    except Exception as e:  # an end for people: what went wrong, in one line
        if args.probe:
            return 3
        print("  failed: %s: %s" % (type(e).__name__, e))
        return 1


if __name__ == "__main__":
    sys.exit(main())
