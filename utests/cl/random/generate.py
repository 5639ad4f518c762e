"""Random OpenCL C kernels whose results the specification fixes to the bit. One seed, one kernel, for ever.

Nothing in them is undefined or left to the implementation: signed sums go through unsigned types or are kept small,
divisors are not zero, indices are masked, every variable is set, loops are bounded, barriers stand in uniform flow,
atomics commute and their results are unused, and floats are either small integers (so that every sum and product is
exact, fused or not) or take part in one correctly rounded operation whose bits are then looked at.

Programs from seed MORE on read and write images, too, and compute with halves: their own where the device has them,
else floats rounded to halves, which for one sum, product or quotient is the same.

A program is a tree of statements (S) and expressions (E), so that reduce.py can take it apart."""

WORDS = 256        # of input, read by all
ITEMS, GROUP = 64, 32
BYTES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4,
         "double": 8}
INTS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
EXACT = {"float": 1 << 23, "double": 1 << 40}  # integers up to here are exact, with room
MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")
MORE = 100000      # the first seed with images and halves
PIXELS = 8         # width and height of what is read; what is written has ITEMS columns
LINES = 4

# Once a program, which may be of several kernels. Halves are bits in a ushort, below 2: so nothing overflows.
PRELUDE = """#ifndef PRELUDE
#define PRELUDE
#pragma OPENCL FP_CONTRACT OFF
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
constant sampler_t around = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_NEAREST | CLK_ADDRESS_REPEAT;
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define INPUT(N) \\
    ushort##N u = x & (ushort)0xbfff, v = y & (ushort)0xbfff; \\
    half##N a = as_half##N(u), b = as_half##N(v)
#define RESULT(code, N) return as_ushort##N(code)
#else
#define INPUT(N) \\
    ushort##N u = x & (ushort)0xbfff, v = y & (ushort)0xbfff; \\
    float##N a = vload_half##N(0, (half *)&u), b = vload_half##N(0, (half *)&v)
#define RESULT(code, N) \\
    vstore_half##N##_rte(code, 0, (half *)&u); \\
    return u
#endif
#define OPERATION(name, code, N) \\
    static ushort##N name(ushort##N x, ushort##N y) \\
    { \\
        INPUT(N); \\
        RESULT(code, N); \\
    }
#define TRUTH(name, code) \\
    static int name(ushort x, ushort y) \\
    { \\
        INPUT(); \\
        return code; \\
    }
#define OPERATIONS(N) \\
    OPERATION(h_add##N, a + b, N) \\
    OPERATION(h_sub##N, a - b, N) \\
    OPERATION(h_mul##N, a * b, N) \\
    OPERATION(h_neg##N, b - fabs(a), N) \\
    OPERATION(h_max##N, fmax(a, b) * fmax(a, b), N) \\
    OPERATION(h_floor##N, floor(a) + b, N)
OPERATIONS()
OPERATIONS(2)
OPERATIONS(4)
TRUTH(h_less, a < b)
TRUTH(h_same, a == b)
TRUTH(h_int, convert_int_rte(a * 1024) + convert_int_rtn(b * 64))
#endif"""


class Random:
    """splitmix64: Python's own generator may change between versions."""

    def __init__(self, seed):
        self.state = seed * 0x9e3779b97f4a7c15 + 0x1234567 & (1 << 64) - 1

    def bits(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & (1 << 64) - 1
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & (1 << 64) - 1
        z = (z ^ z >> 27) * 0x94d049bb133111eb & (1 << 64) - 1
        return z ^ z >> 31

    def below(self, n):
        return (self.bits() >> 11) % n

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, of):
        return of[self.below(len(of))]

    def weighted(self, of):
        """of: (weight, thing) pairs."""
        at = self.below(sum(w for w, _ in of))
        for w, thing in of:
            at -= w
            if at < 0:
                return thing
        raise AssertionError


class T:
    """A type: so many elements of a base."""

    def __init__(self, base, n=1):
        self.base, self.n = base, n
        self.bits = 8 * BYTES[base]
        self.size = BYTES[base] * (4 if n == 3 else n)
        self.is_float = base in FLOATS
        self.signed = base[0] != "u"
        self.narrow = n == 1 and base in INTS and self.bits < 32  # promoted to int

    def __eq__(self, other):
        return (self.base, self.n) == (other.base, other.n)

    def __hash__(self):
        return hash((self.base, self.n))

    def __str__(self):
        return self.base if self.n == 1 else "%s%d" % (self.base, self.n)

    def of(self, n):
        return T(self.base, n)

    def unsigned(self):
        return self if not self.signed else T("u" + self.base, self.n)

    def mask(self):
        """The type of a comparison of two vectors of this one."""
        return T({1: "char", 2: "short", 4: "int", 8: "long"}[BYTES[self.base]], self.n)


class E:
    """An expression: form with {0}, {1}... for kids. limit bounds the magnitude of an exact float."""

    def __init__(self, type, form, *kids, limit=0, closed=False):
        self.type, self.form, self.kids, self.limit = type, form, list(kids), limit
        self.closed = closed  # its kids can't stand for it

    def __str__(self):
        return self.form.format(*self.kids) if self.kids else self.form


class S:
    """A statement: lines with $0, $1... for expressions and a line @0, @1... for blocks (lists of S)."""

    def __init__(self, text, exprs=(), blocks=()):
        self.text, self.exprs, self.blocks = text, list(exprs), list(blocks)

    def render(self, indent, out):
        text = self.text
        for i in reversed(range(len(self.exprs))):
            text = text.replace("$%d" % i, str(self.exprs[i]))
        for line in text.split("\n"):
            if line.startswith("@"):
                for s in self.blocks[int(line[1:])]:
                    s.render(indent + 1, out)
            else:
                out.append("    " * indent + line)


class Var:
    def __init__(self, name, type, limit=0, writable=True):
        self.name, self.type, self.limit, self.writable = name, type, limit, writable


class Array:
    """length is a power of two; space is where it lies."""

    def __init__(self, name, type, length, space):
        self.name, self.type, self.length, self.space = name, type, length, space


class Function:
    def __init__(self, name, result, params, arrays):
        self.name, self.result, self.params, self.arrays = name, result, params, arrays


class Program:
    def __init__(self, seed):
        self.seed, self.top, self.name = seed, [], "k%d" % seed

    def render(self):
        out = []
        for s in self.top:
            s.render(0, out)
        return "\n".join(out) + "\n"


class Generator:
    def __init__(self, seed):
        self.r = Random(seed)
        self.p = Program(seed)
        self.tag = "%d" % seed
        self.names = 0
        self.functions = []
        self.constants = []
        self.structs = []
        self.vars, self.arrays = [], []
        self.in_kernel = False
        self.barriers = self.r.chance(50)
        self.wide = self.r.chance(25)   # vectors of 8 and 16
        self.doubles = self.r.chance(30)
        self.more = seed >= MORE
        self.longs = self.r.chance(60)
        self.loops = []                 # what break and continue would leave
        self.weight = 1                 # how often the statement runs
        self.work = 0                   # statements run, in all
        self.left = 24                  # statements to come, about
        self.result = None              # of the function being made

    def name(self, stem):
        self.names += 1
        return "%s%d" % (stem, self.names)

    # ---- types ----

    def base(self):
        ints = INTS if self.longs else INTS[:6]
        return self.r.weighted([(8, self.r.pick(ints)), (3, self.r.pick(("int", "uint"))), (2, "float"),
                                (1, "double" if self.doubles else "float")])

    def width(self):
        return self.r.weighted([(12, 1), (2, 2), (2, 3), (4, 4)] + ([(1, 8), (1, 16)] if self.wide else []))

    def type(self):
        base = self.base()
        n = self.width()
        if BYTES[base] == 8 and n > 4:
            n = self.r.pick((2, 3, 4, 8))
        return T(base, n)

    def int_type(self, n=None):
        n = self.width() if n is None else n
        return T(self.r.pick(INTS if self.longs and n <= 8 else INTS[:6]), n)

    # ---- leaves ----

    def number(self, base):
        r, bits = self.r, 8 * BYTES[base]
        v = r.weighted([(3, r.below(8)), (3, r.bits() >> r.below(64)), (1, 1 << bits - 1), (1, (1 << bits - 1) - 1),
                        (1, (1 << bits) - 1), (1, 1 << r.below(bits)), (1, (1 << bits) - 1 - r.below(9))])
        v &= (1 << bits) - 1
        if bits < 32 or base[0] != "u" and v >> bits - 1:
            return "((%s)%d%s)" % (base, v, {32: "u", 64: "ul"}.get(bits, ""))
        return "%d%s" % (v, {"int": "", "uint": "u", "long": "L", "ulong": "ul"}[base])

    def literal(self, t):
        if t.is_float:
            return self.float_literal(t, 64)
        if t.n == 1:
            return E(t, self.number(t.base))
        if self.r.chance(50):
            return E(t, "((%s)(%s))" % (t, self.number(t.base)))
        parts = [self.number(t.base) for _ in range(t.n)]
        return E(t, "((%s)(%s))" % (t, ", ".join(parts)))

    def float_literal(self, t, limit):
        suffix = "f" if t.base == "float" else ""
        values = [self.r.below(2 * limit + 1) - limit for _ in range(t.n)]
        parts = ["%d.0%s" % (v, suffix) for v in values]
        return E(t, "((%s)(%s))" % (t, ", ".join(parts)), limit=limit)

    def index(self, length, depth):
        """An index below length, a power of two."""
        e = self.int(T(self.r.pick(("uint", "int", "uchar"))), min(depth, 1))
        if self.loops and self.r.chance(40):
            counter = self.r.pick(self.loops)
            if counter:
                e = E(T("uint"), counter)
        return E(T("int"), "(int)({0} & %d)" % (length - 1), e, closed=True)

    def load(self, t, depth):
        """An element or vector of some array in memory, or None."""
        fit = [a for a in self.arrays + self.constants if a.type.base == t.base and not t.is_float
               and (a.type.n == t.n or a.type.n == 1 and t.n > 1 and a.length >= t.n)]
        if fit and self.r.chance(70):
            a = self.r.pick(fit)
            if a.type.n == t.n:
                return E(t, a.name + "[{0}]", self.index(a.length, depth), closed=True)
            return self.vload(a, t, depth)
        if not t.is_float and self.in_kernel:
            if t.n == 3:
                return E(t, "vload3({0}, (global const %s *)in)" % t.base,
                         self.index(WORDS * 4 // (4 * BYTES[t.base]), depth), closed=True)
            return E(t, "((global const %s *)in)[{0}]" % t, self.index(WORDS * 4 // t.size, depth), closed=True)
        return None

    def vload(self, a, t, depth):
        if self.r.chance(50) or a.length < 2 * t.n or t.n == 3:
            room = 1
            while 2 * room + t.n <= a.length:
                room *= 2
            return E(t, "vload%d(0, %s + {0})" % (t.n, a.name), self.index(room, depth), closed=True)
        return E(t, "vload%d({0}, %s)" % (t.n, a.name), self.index(a.length // t.n, depth), closed=True)

    def leaf(self, t, depth=0):
        if t.is_float:
            return self.exact(t, EXACT[t.base], 0)
        r = self.r
        fit = [v for v in self.vars if v.type == t]
        if fit and r.chance(65):
            return E(t, r.pick(fit).name)
        if r.chance(25):
            e = self.load(t, 0)
            if e:
                return e
        if r.chance(15):
            return self.literal(t)
        ints = [v for v in self.vars if not v.type.is_float]
        if t.n == 1:
            if self.loops and self.loops[-1] and r.chance(25):
                return E(t, "(%s)%s" % (t, self.loops[-1]))
            parts = [v for v in ints if v.type.base == t.base and v.type.n > 1]
            if parts and r.chance(50):
                v = r.pick(parts)
                return E(t, "%s.s%x" % (v.name, r.below(v.type.n)))
            if self.in_kernel and r.chance(30):
                return E(t, "(%s)%s" % (t, r.pick(("gid", "lid"))))
        same = [v for v in ints if v.type.n == t.n]
        if same:
            v = r.pick(same)
            return self.converted(t, E(v.type, v.name))
        scalars = [v for v in ints if v.type.n == 1]
        if scalars:
            v = r.pick(scalars)
            return E(t, "((%s)((%s)%s))" % (t, t.base, v.name))
        return self.literal(t)

    def converted(self, t, e):
        """e, an integer, as a t of as many elements."""
        if e.type == t:
            return e
        if t.n == 1 and self.r.chance(60):
            return E(t, "((%s){0})" % t, e)
        how = self.r.pick(("", "_sat", "_sat", "_sat_rte", "_rtz"))
        return E(t, "convert_%s%s({0})" % (t, how), e)

    # ---- integers ----

    def expr(self, t, depth):
        return self.exact(t, EXACT[t.base], depth) if t.is_float else self.int(t, depth)

    def int(self, t, depth):
        r = self.r
        if depth <= 0 or r.chance(12):
            return self.leaf(t)
        for _ in range(8):
            e = r.weighted(self.MORE_RULES if self.more else self.INT_RULES)(self, t, depth - 1)
            if e:
                return e
        return self.leaf(t)

    def wrap(self, t, form, *kids):
        """A form of unsigned operands that wraps; the operands are ts."""
        u = t.unsigned()
        if t.narrow:
            return E(t, "(%s)(%s)" % (t, form.format(*("(uint){%d}" % i for i in range(len(kids))))), *kids)
        if t.signed:
            form = form.format(*("as_%s({%d})" % (u, i) for i in range(len(kids))))
            return E(t, "as_%s(%s)" % (t, form), *kids)
        return E(t, "(%s)" % form, *kids)

    def cast(self, t, form, *kids, closed=False):
        """A form whose value needs no wrapping, but narrow types their cast back."""
        return E(t, "(%s)(%s)" % (t, form) if t.narrow else "(%s)" % form, *kids, closed=closed)

    def r_arith(self, t, d):
        return self.wrap(t, "{0} %s {1}" % self.r.pick("+-*"), self.int(t, d), self.int(t, d))

    def r_small(self, t, d):
        """Signed operations that can't overflow."""
        if not t.signed:
            return None
        op = self.r.pick("+-*")
        m = (1 << (t.bits // 2 - 2 if op == "*" else t.bits - 3)) - 1
        m = "%d%s" % (m, "L" if t.bits == 64 else "")
        if t.n > 1:
            m = "(%s)%s" % (t, m)
        return self.cast(t, "({0} & %s) %s ({1} & %s)" % (m, op, m), self.int(t, d), self.int(t, d), closed=True)

    def r_three(self, t, d):
        return self.wrap(t, self.r.pick(("{0} * {1} + {2}", "{0} - {1} * {2}", "({0} + {1}) * {2}", "{0} + {1} + {2}")),
                         *(self.int(t, d) for _ in range(3)))

    def r_logic(self, t, d):
        form = self.r.pick(("{0} & {1}", "{0} | {1}", "{0} ^ {1}", "{0} & ~{1}", "~({0} | {1})"))
        return self.cast(t, form, self.int(t, d), self.int(t, d))

    def r_not(self, t, d):
        if self.r.chance(50):
            return self.cast(t, "~{0}", self.int(t, d))
        return self.wrap(t, "-{0}", self.int(t, d))

    def r_shift(self, t, d):
        """Counts are taken modulo the width of the (promoted) left side."""
        op = self.r.pick(("<<", ">>"))
        count = self.int(t if t.n > 1 else T(self.r.pick(INTS[:6])), d - 1)
        if t.narrow:
            return E(t, "(%s)({0} %s ({1} & 31))" % (t, op), self.int(t, d), count, closed=True)
        if self.r.chance(40):
            count = E(count.type, "%d" % self.r.below(t.bits) if t.n == 1 else
                      "(%s)(%s)" % (t, ", ".join("%d" % self.r.below(t.bits) for _ in range(t.n))))
        return E(t, "({0} %s {1})" % op, self.int(t, d), count, closed=True)

    def r_divide(self, t, d):
        if t.n > 4 or t.bits == 64 and (t.n > 2 or self.weight > 8):
            return None
        op = self.r.pick("/%")
        if self.r.chance(40):
            k = self.r.pick((3, 5, 7, 10, 16, 100, 64, 127)) * (-1 if t.signed and self.r.chance(30) else 1)
            den = E(t, "((%s)(%d))" % (t, k))
            return self.cast(t, "{0} %s {1}" % op, self.int(t, d), den, closed=True)
        m = "(%s)%d" % (t, (1 << t.bits - 1) - 1) + ("L" if t.bits == 64 else "")
        return self.cast(t, "{0} %s (({1} & %s) | (%s)1)" % (op, m, t), self.int(t, d), self.int(t, d), closed=True)

    def condition(self, depth):
        """A scalar that is used as a truth value."""
        r = self.r
        kind = r.below(10)
        if kind < 6 or depth <= 0:
            t = self.int_type(1) if r.chance(80) else T("float")
            op = r.pick(("<", ">", "<=", ">=", "==", "!="))
            if t.is_float:
                return E(T("int"), "({0} %s {1})" % op, self.exact(t, 4096, depth - 1), self.exact(t, 4096, 0))
            if r.chance(40):
                return E(T("int"), "(({0} & %d) %s %d)" % (r.pick((1, 3, 7, 15, 31)), op, r.below(8)),
                         self.int(t, depth - 1), closed=True)
            return E(T("int"), "({0} %s {1})" % op, self.int(t, depth - 1), self.int(t, depth - 1))
        if kind < 8:
            return E(T("int"), "({0} %s {1})" % r.pick(("&&", "||")), self.condition(depth - 1),
                     self.condition(depth - 1))
        if kind == 8:
            return E(T("int"), "(!{0})", self.condition(depth - 1))
        t = self.int_type(r.pick((2, 3, 4))).mask()
        return E(T("int"), "%s({0})" % r.pick(("any", "all")), self.lanes(t, depth - 1))

    def lanes(self, t, depth):
        """A vector of 0 and -1."""
        r = self.r
        kinds = [b for b in INTS + FLOATS if BYTES[b] * 8 == t.bits and (b != "double" or self.doubles)]
        s = T(r.pick(kinds), t.n)
        if s.is_float and r.chance(40):
            f = r.pick(("isequal", "isnotequal", "isgreater", "isless", "islessequal", "islessgreater", "isunordered",
                        "isgreaterequal", "isordered"))
            return E(t, f + "({0}, {1})", self.exact(s, 64, depth - 1), self.exact(s, 64, 0), closed=True)
        op = r.pick(("<", ">", "<=", ">=", "==", "!="))
        if r.chance(20):
            return E(t, "({0} %s {1})" % r.pick(("&&", "||")), self.lanes(t, depth - 1), self.lanes(t, depth - 1)) \
                if depth > 0 else E(t, "(!{0})", self.leaf(t))
        return E(t, "({0} %s {1})" % op, self.expr_small(s, depth - 1), self.expr_small(s, depth - 1), closed=True)

    def expr_small(self, t, depth):
        return self.exact(t, 4096, depth) if t.is_float else self.int(t, depth)

    def r_compare(self, t, d):
        if t.n == 1:
            return E(t, "((%s){0})" % t, self.condition(d))
        return self.lanes(t, d) if t.signed else None

    def r_choose(self, t, d):
        a, b = self.int(t, d), self.int(t, d)
        if t.n == 1 and self.r.chance(80):
            return self.cast(t, "{0} ? {1} : {2}", self.condition(d), a, b)
        c = self.lanes(t.mask(), d) if t.n > 1 else self.int(t.mask(), d)
        if t.n > 1 and self.r.chance(50):
            return E(t, "({0} ? {1} : {2})", c, a, b)
        return E(t, self.r.pick(("select({1}, {2}, {0})", "select({1}, {2}, as_%s({0}))" % t.mask().unsigned())),
                 c, a, b)

    def r_convert(self, t, d):
        s = self.int_type(t.n)
        return self.converted(t, self.int(s, d))

    def r_as(self, t, d):
        ways = [T(b, t.n * t.bits // (8 * BYTES[b])) for b in INTS
                if t.n != 3 and t.n * t.bits % (8 * BYTES[b]) == 0 and t.n * t.bits // (8 * BYTES[b]) in (1, 2, 4, 8)]
        if t.n == 3:
            ways = [t.unsigned(), t.mask()]
        s = self.r.pick(ways)
        return E(t, "as_%s({0})" % t, self.int(s, d))

    def r_swizzle(self, t, d):
        r = self.r
        if t.n in (1, 2, 4, 8) and r.chance(40) and 2 * t.size <= 64:
            return E(t, "{0}.%s" % r.pick(("lo", "hi", "even", "odd")), self.int(t.of(2 * t.n), d - 1))
        if t.n in (2, 4, 8, 16) and r.chance(40):
            h = t.of(t.n // 2)
            return E(t, "((%s)({0}, {1}))" % t, self.int(h, d), self.int(h, d))
        n = r.pick((2, 3, 4)) if t.n == 1 else t.n if t.n > 4 else r.pick((2, 3, 4))
        s = t.of(n)
        letters = r.pick(("xyzw", "0123")) if n <= 4 else "0123456789abcdef"
        at = "".join(letters[r.below(n)] for _ in range(t.n))
        if t.n > 1 and self.loops == [] and r.chance(20):
            return E(t, "((%s)(%s))" % (t, ", ".join("{%d}" % i for i in range(t.n))),
                     *(self.int(t.of(1), d - 1) for _ in range(t.n)))
        return E(t, "{0}." + ("" if letters[0] == "x" else "s") + at, self.int(s, d))

    def r_builtin2(self, t, d):
        f = self.r.pick(("add_sat", "sub_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate", "max", "min"))
        if t.n > 1 and f in ("max", "min") and self.r.chance(30):
            return E(t, f + "({0}, {1})", self.int(t, d), self.int(t.of(1), d))
        return E(t, f + "({0}, {1})", self.int(t, d), self.int(t, d))

    def r_builtin1(self, t, d):
        f = self.r.pick(("clz", "popcount", "abs", "abs_diff"))
        if f[:3] == "abs":
            if t.signed:
                return None
            s = t if self.r.chance(20) else T(t.base[1:], t.n)
            if f == "abs":
                return E(t, "abs({0})", self.int(s, d))
            if s.signed:
                # pocl's overflows where the difference doesn't fit the signed type.
                return E(t, "abs_diff((%s)({0} >> 1), (%s)({1} >> 1))" % (s, s), self.int(s, d), self.int(s, d))
            return E(t, "abs_diff({0}, {1})", self.int(s, d), self.int(s, d))
        return E(t, f + "({0})", self.int(t, d))

    def r_builtin3(self, t, d):
        f = self.r.pick(("mad_hi", "mad_sat", "bitselect", "clamp"))
        if f == "clamp":
            lo = self.r.below(50)
            hi = lo + self.r.below(70)
            if self.r.chance(50) and t.n > 1:
                return E(t, "clamp({0}, (%s)%d, (%s)%d)" % (t.base, lo, t.base, hi), self.int(t, d))
            return E(t, "clamp({0}, (%s)%d, (%s)%d)" % (t, lo, t, hi), self.int(t, d))
        return E(t, f + "({0}, {1}, {2})", *(self.int(t, d) for _ in range(3)))

    def r_24(self, t, d):
        if t.base not in ("int", "uint"):
            return None
        m, k = "(%s)0x7fffff" % t, "(%s)0xff" % t
        if self.r.chance(50):
            return E(t, "mul24({0} & %s, {1} & %s)" % (m, k), self.int(t, d), self.int(t, d), closed=True)
        return E(t, "mad24({0} & %s, {1} & %s, {2} & %s)" % (m, k, m), *(self.int(t, d) for _ in range(3)), closed=True)

    def r_upsample(self, t, d):
        if t.bits == 8:
            return None
        half = {"short": "char", "int": "short", "long": "int"}[t.base.lstrip("u")]
        hi = T("u" + half if not t.signed else half, t.n)
        return E(t, "upsample({0}, {1})", self.int(hi, d), self.int(T("u" + half, t.n), d), closed=True)

    def r_shuffle(self, t, d):
        if t.n not in (2, 4, 8, 16):
            return None
        m = self.r.pick([n for n in (2, 4, 8, 16) if t.bits * n <= 512])
        mask = T(t.unsigned().base, t.n)
        if self.r.chance(50):
            k = E(mask, "((%s)(%s))" % (mask, ", ".join("%d" % self.r.below(16) for _ in range(t.n))))
        else:
            k = self.int(mask, 1)
        if self.r.chance(50):
            return E(t, "shuffle({0}, {1})", self.int(t.of(m), d - 1), k, closed=True)
        return E(t, "shuffle2({0}, {1}, {2})", self.int(t.of(m), d - 1), self.int(t.of(m), d - 1), k, closed=True)

    def r_call(self, t, d):
        fit = [f for f in self.functions if f.result == t and not f.arrays]
        if not fit or self.weight > 16:
            return None
        f = self.r.pick(fit)
        self.work += 6 * self.weight
        return E(t, "%s(%s)" % (f.name, ", ".join("{%d}" % i for i in range(len(f.params)))),
                 *(self.expr_small(p, d - 1) if p.is_float else self.int(p, d - 1) for p in f.params))

    def r_load(self, t, d):
        return self.load(t, d)

    def r_from_float(self, t, d):
        """Integers of exact floats, and of floats of all magnitudes with saturation."""
        r = self.r
        f = T("double" if self.doubles and t.n <= 4 and r.chance(40) else "float", t.n)
        if r.chance(40):
            if r.chance(50) or t.n > 1:
                return E(t, "convert_%s_sat%s({0})" % (t, r.pick(MODES)), self.exact(f, 1 << 20, d), closed=True)
            if t.bits < 32 or not t.signed:
                return None
            return E(t, "((%s){0})" % t, self.exact(f, 1 << 20, d), closed=True)
        return E(t, "convert_%s_sat%s({0})" % (t, r.pick(MODES)), self.wild(f, d), closed=True)

    def r_bits(self, t, d):
        """The bits of one correctly rounded operation."""
        r = self.r
        if t.bits < 32 or t.bits == 64 and not self.doubles or t.n > 4:
            return None
        f = T("float" if t.bits == 32 else "double", t.n)
        kind = r.below(12)
        if kind < 3:
            e = E(f, "({0} %s {1})" % r.pick("+-*"), self.wild(f, d), self.wild(f, d))
        elif kind < 4:
            e = E(f, "fma({0}, {1}, {2})", self.wild(f, d), self.wild(f, d), self.wild(f, d))
        elif kind < 7:
            e = E(f, r.pick(("floor", "ceil", "trunc", "rint", "round", "fabs", "sign", "-")) + "({0})", self.wild(f, d))
        elif kind < 9:
            e = E(f, r.pick(("fmin", "fmax", "min", "max", "copysign", "step")) + "({0}, {1})", self.wild(f, d),
                  self.wild(f, d))
        elif kind < 11:
            e = E(f, "convert_%s%s({0})" % (f, r.pick(MODES)), self.int(self.int_type(t.n), d))
        elif self.doubles:
            o = T("double" if f.base == "float" else "float", t.n)
            e = E(f, "convert_%s%s({0})" % (f, r.pick(MODES) if f.base == "float" else ""), self.wild(o, d))
        else:
            return None
        e.closed = True
        return E(t, "as_%s({0})" % t, e, closed=True)

    def wild(self, f, d):
        """A float of any bits whose magnitude is neither tiny nor huge."""
        if f.base == "float":
            i = T("uint", f.n)
            return E(f, "as_%s(({0} & 0x807fffffu) | ((({1} & 0x3fu) + 96u) << 23))" % f, self.int(i, d - 1),
                     self.leaf(i), closed=True)
        i = T("ulong", f.n)
        return E(f, "as_%s(({0} & 0x800ffffffffffffful) | ((({1} & 0x7ful) + 960ul) << 52))" % f, self.int(i, d - 1),
                 self.leaf(i), closed=True)

    def r_classify(self, t, d):
        if t.base != "int":
            return None
        f = T("float", t.n)
        name = self.r.pick(("isnan", "isinf", "isfinite", "isnormal", "signbit", "ilogb"))
        return E(t, name + "({0})", self.wild(f, d), closed=True)

    INT_RULES = [(10, r_arith), (4, r_small), (6, r_three), (8, r_logic), (3, r_not), (6, r_shift), (3, r_divide),
                 (4, r_compare), (6, r_choose), (6, r_convert), (3, r_as), (5, r_swizzle), (5, r_builtin2),
                 (3, r_builtin1), (3, r_builtin3), (1, r_24), (2, r_upsample), (2, r_shuffle), (5, r_call), (6, r_load),
                 (3, r_from_float), (2, r_bits), (1, r_classify)]

    def r_halves(self, t, d):
        """One operation of halves, or several in a row."""
        r = self.r
        if t.base == "int" and t.n == 1:
            return E(t, r.pick(("h_less", "h_same", "h_int")) + "({0}, {1})", self.int(T("ushort"), d),
                     self.int(T("ushort"), d), closed=True)
        if t.base != "ushort" or t.n not in (1, 2, 4):
            return None
        f = "h_%s%s" % (r.pick(("add", "sub", "mul", "neg", "max", "floor")), t.n if t.n > 1 else "")
        return E(t, f + "({0}, {1})", self.int(t, d), self.int(t, d))

    def r_half_load(self, t, d):
        if t.bits != 32 or t.n > 1 or not self.in_kernel:
            return None
        return E(t, "convert_%s_sat(vload_half({0}, (global const half *)in) * 0.5f)" % t,
                 self.index(WORDS * 2, d), closed=True)

    def r_pixel(self, t, d):
        """A pixel of an image, by any coordinates that end on one side of a border."""
        r = self.r
        if t.n > 4 or not self.in_kernel:
            return None
        n = PIXELS
        how = r.pick(("inside", "inside", "border", "edge", "float", "around"))
        x, y = self.int(T("int"), min(d, 1)), self.int(T("int"), min(d, 1))
        if how == "inside":
            at = r.pick(("", "edge, ")) + "(int2)({0} & %d, {1} & %d)" % (n - 1, n - 1)
        elif how == "float":
            at = "%s, (float2)({0} & 15, {1} & 15) - 3.75f" % r.pick(("border", "edge"))
        elif how == "around":
            at = "around, ((float2)({0} & 31, {1} & 31) - 11.5f) * %ff" % (1 / n)
        else:
            at = "%s, (int2)(({0} & 15) - 4, ({1} & 15) - 4)" % how
        read = r.pick(("read_imageui(words, %s)", "as_uint4(read_imagei(shorts, %s))",
                       "convert_uint4_rte(read_imagef(bytes, %s) * 255.0f)")) % at
        part = "s%d" % r.below(4) if t.n == 1 else "xyzw"[:t.n] if r.chance(50) else "wzyx"[:t.n]
        return self.converted(t, E(T("uint", t.n), read + "." + part, x, y, closed=True))

    MORE_RULES = INT_RULES + [(8, r_halves), (1, r_half_load), (9, r_pixel)]

    # ---- floats that are integers ----

    def exact(self, t, limit, depth):
        r = self.r
        if depth <= 0 or r.chance(15):
            fit = [v for v in self.vars if v.type == t and 0 < v.limit <= limit]
            if fit and r.chance(70):
                v = r.pick(fit)
                return E(t, v.name, limit=v.limit)
            if r.chance(50):
                bits = max(min(limit.bit_length() - 1, 12), 0)
                s = T("int" if r.chance(70) else "ushort", t.n)
                m = "(%s)%d" % (s, (1 << bits) - 1)
                return E(t, "convert_%s({0} & %s)" % (t, m), self.leaf(s), limit=limit, closed=True)
            return self.float_literal(t, min(limit, 64))
        root = 1 << (limit.bit_length() - 1) // 2
        d = depth - 1
        kind = r.below(14)
        if kind < 3:
            a, b = self.exact(t, limit // 2, d), self.exact(t, limit // 2, d)
            return E(t, "({0} %s {1})" % r.pick("+-"), a, b, limit=a.limit + b.limit)
        if kind < 5:
            a, b = self.exact(t, root, d), self.exact(t, root, d)
            return E(t, "({0} * {1})", a, b, limit=a.limit * b.limit)
        if kind == 5 and limit > 64:
            a, b, c = self.exact(t, root // 2, d), self.exact(t, root // 2, d), self.exact(t, limit // 2, d)
            return E(t, r.pick(("fma({0}, {1}, {2})", "mad({0}, {1}, {2})", "({0} * {1} + {2})", "({2} - {0} * {1})")),
                     a, b, c, limit=a.limit * b.limit + c.limit, closed=True)
        if kind == 6:
            f = r.pick(("fmin", "fmax", "min", "max"))
            a, b = self.exact(t, limit, d), self.exact(t, limit, d)
            return E(t, "(" + f + "({0}, {1}) + 0)", a, b, limit=max(a.limit, b.limit))
        if kind == 7:
            a = self.exact(t, limit, d)
            return E(t, r.pick(("fabs({0})", "(-{0})", "trunc({0})", "rint({0})", "floor({0} * 0.5f)",
                                "ceil({0} * 0.25f)", "round({0} * 0.25f)", "rint({0} * 0.5f)")),
                     a, limit=a.limit)
        if kind == 8:
            a, b = self.exact(t, limit, d), self.exact(t, limit, d)
            if t.n == 1:
                return E(t, "({0} ? {1} : {2})", self.condition(d), a, b, limit=max(a.limit, b.limit))
            return E(t, "select({1}, {2}, {0})", self.lanes(t.mask(), d), a, b, limit=max(a.limit, b.limit))
        if kind == 9 and t.n > 1:
            s = t.of(r.pick((2, 3, 4)))
            a = self.exact(s, limit, d)
            if t.n <= 4:
                return E(t, "{0}.s" + "".join("%d" % r.below(s.n) for _ in range(t.n)), a, limit=a.limit)
            return E(t, "{0}.s%s" % ("76543210" if t.n == 8 else "fedcba9876543210"), self.exact(t, limit, d),
                     limit=limit)
        if kind == 10 and t.n == 1 and limit >= 64:
            n = r.pick((2, 3, 4))
            a = self.exact(t.of(n), root // 2, d)
            b = self.exact(t.of(n), root // 2, d)
            return E(t, "dot({0}, {1})", a, b, limit=n * a.limit * b.limit, closed=True)
        if kind == 11 and self.doubles:
            o = T("double" if t.base == "float" else "float", t.n)
            a = self.exact(o, min(limit, EXACT["float"]), d)
            return E(t, "convert_%s({0})" % t, a, limit=a.limit, closed=True)
        if kind == 12 and t.n == 1:
            s = t.of(r.pick((2, 4)))
            a = self.exact(s, limit, d)
            return E(t, "{0}.s%d" % r.below(s.n), a, limit=a.limit)
        bits = max(min(limit.bit_length() - 1, 16), 0)
        s = self.int_type(t.n)
        bits = min(bits, s.bits - 1)
        m = "(%s)%d" % (s, (1 << bits) - 1)
        return E(t, "convert_%s({0} & %s)" % (t, m), self.int(s, d), limit=1 << bits, closed=True)

    # ---- statements ----

    def value(self, v, depth):
        """An expression that v may hold."""
        return self.exact(v.type, v.limit, depth) if v.type.is_float else self.int(v.type, depth)

    def target(self):
        return self.r.pick([v for v in self.vars if v.writable])

    def s_assign(self, depth):
        r, v = self.r, self.target()
        t = v.type
        self.work += self.weight * t.n
        if t.is_float:
            if t.n in (2, 4) and r.chance(30):
                return S("%s.%s = $0;" % (v.name, r.pick(("lo", "hi", "odd", "even"))),
                         [self.exact(t.of(t.n // 2), v.limit, 2)])
            return S("%s = $0;" % v.name, [self.exact(t, v.limit, 3)])
        if t.n > 1 and r.chance(40):
            if r.chance(40) and t.n != 3:
                return S("%s.%s = $0;" % (v.name, r.pick(("lo", "hi", "odd", "even"))), [self.int(t.of(t.n // 2), 2)])
            if t.n <= 4 and r.chance(50):
                k = r.pick([n for n in (2, 3, 4) if n <= t.n])
                order = list("xyzw"[:t.n])
                at = "".join(order.pop(r.below(len(order))) for _ in range(k))
                return S("%s.%s = $0;" % (v.name, at), [self.int(t.of(k), 2)])
            return S("%s.s%x %s $0;" % (v.name, r.below(t.n), r.pick(("=", "^=", "|=", "&="))), [self.int(t.of(1), 2)])
        if r.chance(35):
            if not t.signed and r.chance(60) and not (t.base == "ushort" and t.n == 1):
                return S("%s %s $0;" % (v.name, r.pick(("+=", "-=", "*="))), [self.int(t, 2)])
            if not t.signed and r.chance(20):
                return S("%s%s;" % (v.name, r.pick(("++", "--"))))
            if r.chance(30):
                return S("%s %s $0;" % (v.name, r.pick(("<<=", ">>="))),
                         [E(t, "({0} & (%s)%d)" % (t, min(t.bits, 32) - 1), self.int(t, 1), closed=True)])
            return S("%s %s $0;" % (v.name, r.pick(("^=", "|=", "&="))), [self.int(t, 2)])
        return S("%s = $0;" % v.name, [self.int(t, 3 if t.n < 4 else 2)])

    def s_array(self, depth):
        fit = [a for a in self.arrays if a.space != "constant"]
        if not fit:
            return None
        a, r = self.r.pick(fit), self.r
        self.work += self.weight * a.type.n
        if a.type.n == 1 and r.chance(25):
            n = r.pick([n for n in (2, 3, 4, 8) if n <= a.length])
            room = 1
            while 2 * room + n <= a.length:
                room *= 2
            return S("vstore%d($0, 0, %s + $1);" % (n, a.name), [self.int(a.type.of(n), 2), self.index(room, 1)])
        op = r.pick(("=", "=", "=", "^=", "|=")) if a.type.signed or a.type.base == "ushort" else \
            r.pick(("=", "=", "+=", "^=", "-="))
        return S("%s[$0] %s $1;" % (a.name, op), [self.index(a.length, 1), self.int(a.type, 2)])

    def s_pointer(self, depth):
        """Through a pointer to one of two arrays."""
        pairs = [(a, b) for a in self.arrays for b in self.arrays if a.type == b.type and a.space == b.space]
        if not pairs:
            return None
        a, b = self.r.pick(pairs)
        p, n = self.name("p"), min(a.length, b.length)
        space = a.space + " " if a.space != "private" else ""
        self.work += 2 * self.weight
        half = "" if self.r.chance(50) else " + %d" % (n // 2)
        m = n if not half else n // 2
        v = [v for v in self.vars if v.writable and v.type == a.type]
        text = "{\n    %s%s *%s = $0 ? %s : %s%s;\n    %s[$1] = $2;\n" % (space, a.type, p, a.name, b.name, half, p)
        if v:
            text += "    %s = *(%s + $3);\n" % (self.r.pick(v).name, p)
        return S(text + "}", [self.condition(2), self.index(m, 1), self.int(a.type, 2), self.index(m, 1)])

    def block(self, depth, n=None):
        return [self.statement(depth - 1) for _ in range(n or 1 + self.r.below(3))]

    def s_if(self, depth):
        c = self.condition(2)
        inner = self.uniform
        self.uniform = False
        then = self.block(depth)
        if self.loops and not inner and self.r.chance(25):
            then.append(S(self.r.pick(("break;", "continue;"))) if self.loops[-1] else S("break;"))
        if self.r.chance(40):
            other = self.block(depth)
            self.uniform = inner
            return S("if ($0) {\n@0\n} else {\n@1\n}", [c], [then, other])
        self.uniform = inner
        return S("if ($0) {\n@0\n}", [c], [then])

    def loop(self, depth, trips):
        counter = self.name("i")
        self.loops.append(counter)
        self.weight *= trips
        body = self.block(depth)
        self.weight //= trips
        self.loops.pop()
        return counter, body

    def s_for(self, depth):
        r = self.r
        trips = r.pick((2, 3, 4, 5, 8))
        if self.weight * trips > 40:
            return None
        kind = r.below(4)
        inner = self.uniform
        bound, exprs = "%d" % trips, []
        if kind == 0 and r.chance(70):
            bound, exprs = "($0 & %d)" % (trips - 1 if trips in (2, 4, 8) else 3), [self.int(T("uint"), 1)]
        # Lanes may leave a loop one by one, or all meet barriers in it.
        self.uniform = inner and not exprs and kind != 3 and self.barriers and r.chance(60)
        i, body = self.loop(depth, trips)
        self.uniform = inner
        if kind == 0:
            # The bound is computed once: its variables may change in the loop.
            e = self.name("e")
            return S("for (uint %s = 0, %s = %s; %s < %s; %s++) {\n@0\n}" % (i, e, bound, i, e, i), exprs, [body])
        if kind == 1:
            return S("for (uint %s = %s; %s-- > 0;) {\n@0\n}" % (i, bound, i), exprs, [body])
        if kind == 2:
            return S("{\n    uint %s = 0;\n    do {\n@0\n    } while (++%s < %s);\n}" % (i, i, bound), exprs, [body])
        return S("{\n    uint %s = 0;\n    while (%s < %d && %s) {\n        %s++;\n@0\n    }\n}"
                 % (i, i, trips, "$0" if self.r.chance(60) else "1", i), [self.condition(1)], [body])

    def s_switch(self, depth):
        r = self.r
        n = r.pick((2, 3, 4, 6))
        mask = 7 if n > 3 else 3
        inner, self.uniform = self.uniform, False
        values = list(range(mask + 1))
        t = T(r.pick(("int", "uint", "uchar", "short") + (("long",) if self.longs else ())))
        text, blocks = "switch ($0 & %d) {\n" % mask, []
        self.loops.append(None)
        for i in range(n):
            text += "case %d:\n" % values.pop(r.below(len(values)))
            if r.chance(20) and values:
                text += "case %d:\n" % values.pop(r.below(len(values)))
            text += "@%d\n" % len(blocks)
            blocks.append(self.block(depth, 1 + r.below(2)))
            if r.chance(75):
                text += "    break;\n"
            if not values:
                break
        if r.chance(60):
            text += "default:\n@%d\n" % len(blocks)
            blocks.append(self.block(depth, 1))
        self.loops.pop()
        self.uniform = inner
        return S(text + "}", [self.int(t, 2)], blocks)

    def s_goto(self, depth):
        """Forwards over statements, backwards as a loop, or into the middle of a loop."""
        r = self.r
        inner, self.uniform = self.uniform, False
        l, m, c = self.name("l"), self.name("l"), self.name("c")
        kind = r.below(3)
        hidden, self.loops = self.loops, []  # no break out of what is not a loop
        trips = 3
        if kind and self.weight * trips > 40:
            kind = 0
        if kind == 0:
            s = S("{\n    if ($0)\n        goto %s;\n@0\n    if ($1)\n        goto %s;\n@1\n%s:;\n}" % (l, l, l),
                  [self.condition(2), self.condition(2)], [self.block(depth), self.block(depth)])
        else:
            self.weight *= trips
            text = "{\n    uint %s = 0;\n" % c + ("    if ($1)\n        goto %s;\n" % m if kind == 2 else "") + \
                "%s:;\n@0\n%s:;\n@1\n    if (++%s < %d && $0)\n        goto %s;\n}" % (l, m, c, trips, l)
            s = S(text, [self.condition(2), self.condition(2)], [self.block(depth), self.block(depth)])
            self.weight //= trips
        self.loops = hidden
        self.uniform = inner
        return s

    def s_call(self, depth):
        """A function that changes an array."""
        fit = [(f, a) for f in self.functions for a in self.arrays
               if f.arrays and (a.type, a.space) == (f.arrays[0].type, f.arrays[0].space)
               and a.length >= f.arrays[0].length]
        if not fit or self.weight > 16:
            return None
        f, a = self.r.pick(fit)
        self.work += 8 * self.weight
        v = [v for v in self.vars if v.writable and v.type == f.result and (v.limit >= 4096 or not v.type.is_float)]
        args = ", ".join([a.name] + ["$%d" % i for i in range(len(f.params))])
        call = "%s(%s);" % (f.name, args)
        if v:
            call = "%s = %s" % (self.r.pick(v).name, call)
        return S(call, [self.expr_small(p, 1) if p.is_float else self.int(p, 1) for p in f.params])

    def s_return(self, depth):
        if self.in_kernel:
            if self.barriers:
                return None
            return S("if ($0) {\n    mine[0] = $1;\n    return;\n}", [self.condition(2), self.int(T("uint"), 1)])
        return S("if ($0)\n    return $1;", [self.condition(2), self.expr_small(self.result, 2)])

    def s_exchange(self, depth):
        """What another work-item of the group has written."""
        if not self.in_kernel or not self.barriers or not self.uniform:
            return None
        v = self.target()
        t = v.type
        self.work += 4 * self.weight
        value = self.value(v, 2)
        cast = "((local %s *)shared)" % t
        if self.r.chance(60) or t.n == 3:
            put = "%s[lid] = $0;" % cast
            get = "%s = %s[$1 & %d];" % (v.name, cast, GROUP - 1)
        else:
            put = "vstore%d($0, lid, (local %s *)shared);" % (t.n, t.base) if t.n > 1 else "%s[lid] = $0;" % cast
            get = "%s = %s[lid ^ %d];" % (v.name, cast, self.r.pick((1, 2, 5, 16, 31)))
        return S("{\n    barrier(CLK_LOCAL_MEM_FENCE);\n    %s\n    barrier(CLK_LOCAL_MEM_FENCE);\n    %s\n}" % (put, get),
                 [value, self.int(T("uint"), 2)])

    def s_atomic(self, depth):
        if not self.in_kernel or not self.barriers or not self.uniform:
            return None
        v = [v for v in self.vars if v.writable and v.type in (T("int"), T("uint"))]
        if not v:
            return None
        v = self.r.pick(v)
        f = self.r.pick(("add", "sub", "and", "or", "xor", "min", "max", "inc", "dec"))
        inner, self.uniform = self.uniform, False
        guard = self.condition(2)
        self.uniform = inner
        arg = "" if f in ("inc", "dec") else ", $2"
        self.work += 4 * self.weight
        return S("{\n    volatile local %s *cell = (volatile local %s *)shared;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "    if (lid < 4)\n        cell[lid] = %s;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if ($0)\n"
                 "        atomic_%s(&cell[$1]%s);\n    barrier(CLK_LOCAL_MEM_FENCE);\n    %s = cell[$3];\n}"
                 % (v.type, v.type, self.number(v.type.base), f, arg, v.name),
                 [guard, self.index(4, 1), self.int(v.type, 2), self.index(4, 1)])

    def s_struct(self, depth):
        """A struct is filled, copied, indexed and read back."""
        if not self.structs:
            return None
        r = self.r
        name, members = r.pick(self.structs)
        a = self.name("s")
        self.work += 6 * self.weight
        exprs = [self.condition(1)]
        text = "{\n    struct %s %s[4], %s_;\n    for (int j = 0; j < 4; j++) {\n" % (name, a, a)
        for m, t, length in members:
            exprs.append(self.expr_small(t, 1))
            text += "        for (int k = 0; k < %d; k++)\n            %s[j].%s[k] = $%d;\n" % (
                length, a, m, len(exprs) - 1) if length else "        %s[j].%s = $%d;\n" % (a, m, len(exprs) - 1)
        exprs += [self.index(4, 1), self.index(4, 1), self.index(4, 1)]
        n = len(exprs)
        text += "    }\n    %s_ = %s[$%d];\n    if ($0)\n        %s[$%d] = %s[2];\n" % (a, a, n - 3, a, n - 2, a)
        for m, t, length in members:
            exprs.append(self.expr_small(t, 2))
            exprs.append(self.index(length or 1, 1))
            at = "[$%d]" % (len(exprs) - 1) if length else ""
            text += "    %s[$%d].%s%s = $%d;\n" % (a, n - 1, m, at, len(exprs) - 2)
            exprs.append(self.index(4, 1))
            v = [v for v in self.vars if v.writable and v.type == t and (not t.is_float or v.limit >= 4096)]
            if v:
                text += "    %s = %s[$%d].%s%s;\n" % (r.pick(v).name, a, len(exprs) - 1, m, at)
                if r.chance(50):
                    text += "    %s = %s_.%s%s;\n" % (r.pick(v).name, a, m, at)
        return S(text + "}", exprs)

    def s_union(self, depth):
        """Bytes, words and dwords of the same memory."""
        r = self.r
        u = self.name("u")
        v = [v for v in self.vars if v.writable and not v.type.is_float and v.type.n != 3]
        if not v:
            return None
        v = r.pick(v)
        t, w = v.type, self.int_type(1)
        self.work += 4 * self.weight
        n = max(t.size, 16)
        return S("{\n    union {\n        %s whole;\n        %s part[%d];\n        uint word[%d];\n    } %s;\n"
                 "    for (int j = 0; j < %d; j++)\n        %s.word[j] = $0 + j * 0x01020304u;\n    %s.part[$1] = $2;\n"
                 "    %s = %s.whole;\n}" % (t, w, n // w.size, n // 4, u, n // 4, u, u, v.name, u),
                 [self.int(T("uint"), 1), self.index(n // w.size, 1), self.int(w, 2)])

    def s_half(self, depth):
        """A float as a half, rounded as told."""
        v = [v for v in self.vars if v.writable and v.type == T("ushort")]
        if not v:
            return None
        h = self.name("h")
        self.work += 2 * self.weight
        return S("{\n    uchar %s[4] __attribute__((aligned(2))) = {0, 0, 0, 0};\n"
                 "    vstore_half%s($0, 1, (half *)%s);\n    %s = %s[2] | %s[3] << 8;\n}"
                 % (h, self.r.pick(MODES), h, self.r.pick(v).name, h, h), [self.wild(T("float"), 2)])

    def s_paint(self, depth):
        """A pixel of this work-item's column."""
        if not self.more or not self.in_kernel:
            return None
        self.work += 4 * self.weight
        line = self.index(LINES, 1)
        if self.r.chance(60):
            return S("write_imageui(painted, (int2)(gid, $0), $1);", [line, self.int(T("uint", 4), 2)])
        return S("write_imagef(dabbed, (int2)(gid, $0), convert_float4($1) * (1.0f / 255.0f));",
                 [line, self.int(T("uchar", 4), 2)])

    def statement(self, depth):
        self.left -= 1
        for _ in range(20):
            rules = self.SIMPLE if depth <= 0 or self.work > 300 or self.left < 0 else self.SIMPLE + self.NESTED
            if self.more:
                rules = rules + self.PAINT
            s = self.r.weighted(rules)(self, depth)
            if s:
                return s
        return self.s_assign(depth)

    SIMPLE = [(14, s_assign), (6, s_array), (2, s_pointer), (3, s_call), (1, s_return), (4, s_exchange), (2, s_atomic),
              (1, s_union), (1, s_half)]
    NESTED = [(7, s_if), (6, s_for), (3, s_switch), (2, s_goto), (1, s_struct)]

    PAINT = [(6, s_paint)]

    # ---- the program ----

    def declare(self, stem, space=""):
        t = self.type()
        v = Var(self.name(stem), t, 1 << self.r.pick((8, 12)) if t.is_float else 0)
        s = S("%s%s %s = $0;" % (space, t, v.name), [self.value(v, 1)])
        return v, s

    def private_array(self):
        r = self.r
        t = T(r.pick(INTS if self.longs else INTS[:6]), r.weighted([(6, 1), (1, 2), (2, 4)]))
        a = Array(self.name("a"), t, r.pick((4, 8, 16)), "private")
        s = S("%s %s[%d];\nfor (int j = 0; j < %d; j++)\n    %s[j] = $0;" % (t, a.name, a.length, a.length, a.name),
              [self.wrap(t, "{0} + {1}", self.int(t, 1), E(t, "(%s)j" % t))])
        return a, s

    def function(self):
        r = self.r
        self.vars, self.arrays, self.in_kernel, self.uniform, self.loops = [], [], False, False, []
        self.weight, start = 4, self.work
        arrays = []
        name = "f%s_%d" % (self.tag, len(self.functions))
        if r.chance(40):
            t = T(r.pick(INTS[:6]))
            arrays.append(Array("array", t, r.pick((4, 8)), "private"))
        self.result = self.type() if r.chance(30) else self.int_type()
        params = [self.type() for _ in range(1 + r.below(3))]
        self.vars = [Var("x%d" % i, t, 4096 if t.is_float else 0) for i, t in enumerate(params)]
        self.arrays = list(arrays)
        body = []
        v, s = self.declare("v")
        body.append(s)
        self.vars.append(v)
        for _ in range(1 + r.below(3)):
            body.append(self.statement(2))
        body.append(S("return $0;", [self.expr_small(self.result, 2)]))
        args = ["%s *%s" % (a.type, a.name) for a in arrays] + ["%s x%d" % (t, i) for i, t in enumerate(params)]
        self.p.top.append(S("%s%s %s(%s)\n{\n@0\n}" % (r.pick(("", "static ", "inline static ")) if not arrays else "",
                                                       self.result, name, ", ".join(args)), [], [body]))
        self.functions.append(Function(name, self.result, params, arrays))
        self.weight, self.work = 1, start

    def kernel(self):
        r = self.r
        if self.more:
            self.p.top.append(S(PRELUDE))
        for i in range(r.below(3)):
            t = T(r.pick(INTS if self.longs else INTS[:6]), r.weighted([(4, 1), (1, 2), (1, 4)]))
            a = Array("c%s_%d" % (self.tag, i), t, r.pick((4, 8, 16)), "constant")
            items = ", ".join(str(self.literal(t)) for _ in range(a.length))
            self.p.top.append(S("constant %s %s[%d] = {%s};" % (t, a.name, a.length, items)))
            self.constants.append(a)
        for i in range(r.below(3)):
            name = "t%s_%d" % (self.tag, i)
            members = [("m%d" % m, self.type(), r.pick((0, 0, 0, 2, 4))) for m in range(1 + r.below(4))]
            text = "".join("    %s %s%s;\n" % (t, m, "[%d]" % n if n else "") for m, t, n in members)
            self.p.top.append(S("struct %s {\n%s};" % (name, text)))
            self.structs.append((name, members))
        for _ in range(r.below(4)):
            self.function()
        self.vars, self.arrays, self.loops, self.in_kernel, self.uniform = [], [], [], True, True
        self.result = None
        self.weight = 1
        body = [S("uint gid = get_global_id(0), lid = get_local_id(0);")]
        if self.barriers:
            body.append(S("local ulong16 shared[%d];" % GROUP))
        outs, size = [], 4
        for _ in range(3 + r.below(6)):
            v, s = self.declare("v")
            body.append(s)
            self.vars.append(v)
        for _ in range(r.below(3)):
            a, s = self.private_array()
            body.append(s)
            self.arrays.append(a)
        if r.chance(50):
            # Memory of this work-item that is output as it stands.
            t = T(r.pick(INTS if self.longs else INTS[:6]))
            a = Array("own", t, r.pick((8, 16)), "global")
            self.arrays.append(a)
            size = -(-size // 8) * 8
            body.append(S("global %s *own = (global %s *)((global uchar *)mine + %d);" % (t, t, size)))
            size += a.length * t.size
        for _ in range(3 + r.below(8)):
            body.append(self.statement(3))
            if self.left < 0:
                break
        for v in self.vars:
            e, n = v.name, v.type.n
            step = BYTES[v.type.base]
            size = -(-size // step) * step
            at = "(global %s *)((global uchar *)mine + %d)" % (v.type.base, size)
            outs.append(S("vstore%d(%s, 0, %s);" % (n, e, at) if n > 1 else "*%s = %s;" % (at, e)))
            size += step * n
        for a in self.arrays:
            if a.space != "private":
                continue
            size = -(-size // a.type.size) * a.type.size
            outs.append(S("for (int j = 0; j < %d; j++)\n    vstore%d(%s[j], j, (global %s *)((global uchar *)mine + %d));"
                          % (a.length, a.type.n, a.name, a.type.base, size) if a.type.n > 1 else
                          "for (int j = 0; j < %d; j++)\n    ((global %s *)((global uchar *)mine + %d))[j] = %s[j];"
                          % (a.length, a.type, size, a.name)))
            size += a.type.size * a.length
        stride = -(-size // 64) * 64
        body.insert(1, S("global uint *mine = out + gid * %d;" % (stride // 4)))
        self.p.stride = stride
        images = ", read_only image2d_t words, read_only image2d_t shorts, read_only image2d_t bytes,\n" \
            "    write_only image2d_t painted, write_only image2d_t dabbed" if self.more else ""
        self.p.top.append(S("kernel void %s(global uint *out, global const uint *in%s)\n{\n@0\n}"
                            % (self.p.name, images), [], [body + outs]))
        return self.p


def generate(seed):
    return Generator(seed).kernel()


def input_words():
    r = Random(0)
    return [r.bits() >> 32 if i % 4 else r.pick((0, 1, 0x7fffffff, 0x80000000, 0xffffffff, r.below(64)))
            for i in range(WORDS)]
