#!/usr/bin/python3
"""pyopencl's own algorithms (arrays, math, scans, reductions, sorts, random numbers, lists) against numpy."""
import sys

import numpy as np
import pyopencl as cl
import pyopencl.algorithm as algorithm
import pyopencl.array as array
import pyopencl.clmath as clmath
import pyopencl.clrandom as clrandom
from pyopencl.bitonic_sort import BitonicSort
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel

ctx = cl.create_some_context(interactive=False)
q = cl.CommandQueue(ctx)
rng = np.random.RandomState(3)
wrong = []


def check(name, right):
    if not right:
        wrong.append(name)


def arrays(x, y, a, b):
    check("axpy", np.allclose((2 * x + y * 3 - 1).get(), 2 * a + b * 3 - 1, rtol=1e-6))
    check("divide", np.allclose((x / y).get(), a / b, rtol=1e-5))
    check("power", np.allclose((x ** 2).get(), a ** 2, rtol=1e-5))
    check("sum", abs(array.sum(x).get() - a.sum()) < 1e-2)
    check("dot", abs(array.dot(x, y).get() - a.dot(b)) < 1e-2)
    check("max, min", array.max(x).get() == a.max() and array.min(x).get() == a.min())
    backwards = array.to_device(q, np.arange(len(a) - 1, -1, -1).astype(np.int32))
    check("take", np.array_equal(array.take(x, backwards).get(), a[::-1]))
    check("if_positive", np.array_equal(array.if_positive(x - 0.5, x, y).get(), np.where(a - np.float32(.5) > 0, a, b)))
    check("arange", np.array_equal(array.arange(q, 0, 777, dtype=np.int32).get(), np.arange(777)))
    z = (rng.rand(300) + 1j * rng.rand(300)).astype(np.complex64)
    zd = array.to_device(q, z)
    check("complex", np.allclose((zd * zd.conj() + zd).get(), z * z.conj() + z, rtol=1e-5))
    for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "floor", "ceil", "fabs", "tanh", "asin", "atan"):
        host = {"fabs": "abs", "asin": "arcsin", "atan": "arctan"}.get(name, name)
        check(name, np.allclose(getattr(clmath, name)(x).get(), getattr(np, host)(a), rtol=1e-5, atol=1e-6))


def scans():
    for n in (1, 17, 1000, 5003):
        for t in (np.int32, np.int64):
            h = rng.randint(0, 100, n).astype(t)
            d = array.to_device(q, h)
            InclusiveScanKernel(ctx, t, "a+b", neutral="0")(d)
            check("inclusive scan of %d" % n, np.array_equal(d.get(), np.cumsum(h)))
            d = array.to_device(q, h)
            ExclusiveScanKernel(ctx, t, "a+b", "0")(d)
            check("exclusive scan of %d" % n, np.array_equal(d.get(), np.cumsum(h) - h))


def algorithms():
    h = rng.randint(0, 1000, 3000).astype(np.int32)
    d = array.to_device(q, h)
    r, n, _ = algorithm.copy_if(d, "ary[i] > 300")
    check("copy_if", np.array_equal(r.get()[:int(n.get())], h[h > 300]))
    yes, no, n, _ = algorithm.partition(d, "ary[i] > 300")
    n = int(n.get())
    check("partition", np.array_equal(yes.get()[:n], h[h > 300]) and np.array_equal(no.get()[:len(h) - n], h[h <= 300]))
    r, n, _ = algorithm.unique(array.to_device(q, np.sort(h)))
    check("unique", np.array_equal(r.get()[:int(n.get())], np.unique(h)))
    sort = algorithm.RadixSort(ctx, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"], scan_kernel=GenericScanKernel)
    (r,), _ = sort(d, key_bits=12)
    check("radix sort", np.array_equal(r.get(), np.sort(h)))
    k = rng.randint(0, 10000, 1024).astype(np.int32)
    d = array.to_device(q, k)
    BitonicSort(ctx)(d)
    check("bitonic sort", np.array_equal(d.get(), np.sort(k)))
    lists = algorithm.ListOfListsBuilder(
        ctx, [("mine", np.int32)], "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i) {"
        " int count = i % 4; for (int j = 0; j < count; ++j) { APPEND_mine(count); } }", arg_decls=[])
    got = lists(q, 200)[0]["mine"]
    check("lists", int(got.count) == 300 and got.lists.get()[:300].sum() == 700)


def kernels(x, y, a, b):
    dot = ReductionKernel(ctx, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                          arguments="__global float *x, __global float *y")
    check("reduction", abs(dot(x, y).get() - a.dot(b)) < 1e-2)
    square = ElementwiseKernel(ctx, "float *o, float *p, float k", "o[i] = k*p[i]*p[i]")
    o = array.empty_like(x)
    square(o, x, np.float32(3))
    check("elementwise", np.allclose(o.get(), 3 * a * a, rtol=1e-6))
    for make in (clrandom.PhiloxGenerator, clrandom.ThreefryGenerator):
        g = make(ctx, seed=5)
        v = g.uniform(q, 4000, np.float32).get()
        check("uniform", 0 <= v.min() and v.max() < 1 and abs(v.mean() - .5) < .03)
        v = g.normal(q, 4000, np.float32).get()
        check("normal", abs(v.mean()) < .1 and abs(v.std() - 1) < .1)
        v = g.uniform(q, 1000, np.int32, a=5, b=50).get()
        check("integers", v.min() >= 5 and v.max() < 50)


def main():
    a, b = rng.rand(1000).astype(np.float32), rng.rand(1000).astype(np.float32)
    x, y = array.to_device(q, a), array.to_device(q, b)
    arrays(x, y, a, b)
    scans()
    algorithms()
    kernels(x, y, a, b)
    print("%s: %s" % (ctx.devices[0].name.strip(), "wrong: " + ", ".join(wrong) if wrong else "all right"))
    return bool(wrong)


sys.exit(main())
