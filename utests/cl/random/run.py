#!/usr/bin/python3
"""Runs random kernels (generate.py) and compares what they write with what pocl's kernels wrote.

  run.py                     on this process's device: the seeds of expected.txt, or those of --seeds
  run.py --record            on pocl: writes expected.txt
  run.py --live BUILD DEVICE on pocl and on a simulated device, seeds of any number
  run.py --reduce BUILD DEVICE --seeds N     makes the kernel smaller while the two differ
  run.py --print --seeds N   the source

expected.txt: a line a seed, with a hash of the source (so that a changed generator is noticed) and one of the output;
a third word is the hash that the specification wants where pocl is wrong, and why."""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402

BATCH = 10  # kernels a program
PATIENCE = 120  # seconds for a batch


def digest(data):
    return hashlib.blake2b(data, digest_size=8).hexdigest()


class Runner:
    """The first device of the loader's first platform."""

    def __init__(self, options):
        import numpy
        import pyopencl
        self.cl, self.np = pyopencl, numpy
        self.device = pyopencl.get_platforms()[0].get_devices()[0]
        self.context = pyopencl.Context([self.device])
        self.queue = pyopencl.CommandQueue(self.context)
        words = numpy.array(generate.input_words(), dtype=numpy.uint32)
        self.input = pyopencl.Buffer(self.context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=words)
        self.options = options

    def image(self, order, kind, width, height):
        """Of the input's words; what is written begins with zeros."""
        form = self.cl.ImageFormat(order, kind)
        words = self.np.array(generate.input_words(), dtype=self.np.uint32)
        if width != generate.PIXELS:
            words[:] = 0
        words = self.np.resize(words, width * height * form.itemsize // 4)
        return self.cl.Image(self.context, self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR, form,
                             shape=(width, height), hostbuf=words)

    def images(self):
        order, kind = self.cl.channel_order.RGBA, self.cl.channel_type
        read = [self.image(order, k, generate.PIXELS, generate.PIXELS)
                for k in (kind.UNSIGNED_INT32, kind.SIGNED_INT16, kind.UNORM_INT8)]
        return read, [self.image(order, k, generate.ITEMS, generate.LINES) for k in (kind.UNSIGNED_INT32, kind.UNORM_INT8)]

    def build(self, source):
        return self.cl.Program(self.context, source).build(options=self.options)

    def launch(self, program, name, stride):
        """The bytes that a kernel writes."""
        size = stride * generate.ITEMS
        host = self.np.zeros(size, dtype=self.np.uint8)
        out = self.cl.Buffer(self.context, self.cl.mem_flags.COPY_HOST_PTR, hostbuf=host)
        kernel = self.cl.Kernel(program, name)
        read, written = self.images() if kernel.num_args > 2 else ([], [])
        kernel.set_args(out, self.input, *read, *written)
        self.cl.enqueue_nd_range_kernel(self.queue, kernel, (generate.ITEMS,), (generate.GROUP,))
        self.cl.enqueue_copy(self.queue, host, out)
        out.release()
        result = host.tobytes()
        for image in written:
            shape = (generate.ITEMS, generate.LINES)
            pixels = self.np.zeros(shape[0] * shape[1] * image.format.itemsize, dtype=self.np.uint8)
            self.cl.enqueue_copy(self.queue, pixels, image, origin=(0, 0), region=shape)
            result += pixels.tobytes()
        return result

    def outputs(self, programs):
        """(program, output or None, why) of each."""
        try:
            built = self.build("".join(source for _, source in programs))
            whole = True
        except self.cl.Error:
            whole = False
        for p, source in programs:
            try:
                yield p, self.launch(built if whole else self.build(source), p.name, p.stride), ""
            except self.cl.Error as e:
                yield p, None, str(e)


def seeds_of(text, default):
    if not text:
        return default
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def batches(seeds, size=BATCH):
    made = []
    for seed in seeds:
        p = generate.generate(seed)
        made.append((p, p.render()))
        if len(made) == size:
            yield made
            made = []
    if made:
        yield made


def read_expected():
    table = {}
    for line in (HERE / "expected.txt").read_text().splitlines():
        if line and line[0] != "#":
            words = line.split(None, 4)
            table[int(words[0])] = words[1:]  # source, pocl's, [the right one, why]
    return table


def check(args):
    table = read_expected()
    seeds = [s for s in seeds_of(args.seeds, sorted(table)) if s in table][args.part::args.parts]
    runner = Runner(args.options)
    bad = 0
    for batch in batches(seeds):
        for p, source in batch:
            if digest(source.encode()) != table[p.seed][0]:
                print("seed %d: the generator makes another program than expected.txt is of" % p.seed)
                return 1
        for p, out, why in runner.outputs(batch):
            want = table[p.seed][-1] if len(table[p.seed]) < 3 else table[p.seed][2]
            if out is None or digest(out) != want:
                bad += 1
                print("seed %d: %s" % (p.seed, digest(out) + " is another result" if out else why), flush=True)
    print("%s: %d of %d random kernels wrong" % (runner.device.name.strip(), bad, len(seeds)))
    return 1 if bad else 0


def write_expected(table):
    lines = ["# seed, source, output of pocl 3.1 (run.py --record)"]
    lines += [" ".join([str(seed)] + table[seed]) for seed in sorted(table)]
    (HERE / "expected.txt").write_text("\n".join(lines) + "\n")


def record(args):
    """Seeds whose source is in the table already are left alone, so this can be stopped and resumed."""
    table = read_expected() if (HERE / "expected.txt").exists() else {}
    runner = Runner(args.options)
    for batch in batches(seeds_of(args.seeds, range(1000))):
        hashes = {p.seed: digest(source.encode()) for p, source in batch}
        batch = [(p, source) for p, source in batch if table.get(p.seed, [""])[0] != hashes[p.seed]]
        for p, out, why in runner.outputs(batch):
            if out is None:
                print("seed %d: %s" % (p.seed, why), flush=True)
            else:
                table[p.seed] = [hashes[p.seed], digest(out)]
        write_expected(table)
    return 0


# ---- two drivers side by side ----

class Worker:
    """A process of one driver that runs sources: 'SOURCE NAME STRIDE' in, a file of output or a reason out."""

    def __init__(self, command, env, options, folder):
        self.command, self.env, self.options, self.folder, self.process = command, env, options, folder, None

    def start(self):
        self.process = subprocess.Popen(self.command + ["/usr/bin/python3", __file__, "--worker",
                                                        "--options=" + self.options], env=dict(os.environ, **self.env), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def send(self, source, names):
        """names: (name, stride) pairs."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        path = self.folder / ("%d-%d.cl" % (os.getpid(), id(self)))
        path.write_text(source)
        try:
            self.process.stdin.write("%s %s\n" % (path, " ".join("%s:%d" % n for n in names)))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def receive(self, n):
        """A hash of the output, or 'failed ...', of each kernel."""
        got = []
        watch = threading.Timer(PATIENCE, self.process.kill)  # pocl hangs over some kernels
        watch.start()
        for _ in range(n):
            line = self.process.stdout.readline()
            if not line:
                self.process.wait()
                self.process = None
                got += ["failed: the process died"] * (n - len(got))
                break
            got.append(line.strip())
        watch.cancel()
        return got

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def worker(args):
    out = os.dup(1)
    os.dup2(2, 1)
    reply = os.fdopen(out, "w", buffering=1)
    runner = Runner(args.options)
    for line in sys.stdin:
        path, *names = line.split()
        source = pathlib.Path(path).read_text()
        try:
            program, failure = runner.build(source), None
        except runner.cl.Error as e:
            failure = str(e)
        for name in names:
            name, stride = name.split(":")
            try:
                if failure:
                    reply.write("failed: " + " ".join(failure.split())[:3000] + "\n")
                else:
                    reply.write(digest(runner.launch(program, name, int(stride))) + "\n")
            except runner.cl.Error as e:
                reply.write("failed: " + " ".join(str(e).split())[:3000] + "\n")
    return 0


def pair(args, build, device):
    folder = pathlib.Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    keep = {"POCL_CACHE_DIR": str(folder / "pocl"), "PYOPENCL_NO_CACHE": "1", "BEIGNET_CACHE": "0",
            "NEO_CACHE_PERSISTENT": "0"}
    judge = Worker([], dict(keep, OCL_ICD_VENDORS="/etc/OpenCL/vendors/pocl.icd"), args.judge_options, folder)
    icd = "/etc/OpenCL/vendors/intel.icd" if args.intel else build + "/vendors/"
    ours = Worker([build + "/sim/gensim", "--device", device, "--"], dict(keep, OCL_ICD_VENDORS=icd), args.options, folder)
    return judge, ours


def live(args):
    judge, ours = pair(args, *args.live)
    seeds = seeds_of(args.seeds, range(1000, 1100))
    bad, start = [], time.time()
    for batch in batches(seeds):
        source = "".join(s for _, s in batch)
        names = [(p.name, p.stride) for p, _ in batch]
        answers = []
        for w in (judge, ours):
            w.send(source, names)
        for w in (judge, ours):
            got = w.receive(len(batch))
            if any(g.startswith("failed") for g in got):
                got = []
                for p, s in batch:
                    w.send(s, [(p.name, p.stride)])
                    got += w.receive(1)
            answers.append(got)
        for (p, _), want, got in zip(batch, *answers):
            if want != got or want.startswith("failed"):
                bad.append(p.seed)
                print("seed %d: %s, not %s" % (p.seed, got[:1500], want[:1500]), flush=True)
    for w in (judge, ours):
        w.stop()
    print("%d of %d random kernels differ, %.0f s" % (len(bad), len(seeds), time.time() - start), *bad[:40])
    return 1 if bad else 0


def places(program):
    """Ways to make the program smaller, the biggest first: (do, undo) pairs."""
    found = []

    def put(list_, i, new):
        old = list_[i]
        return (lambda: list_.__setitem__(i, new)), (lambda: list_.__setitem__(i, old))

    def expression(list_, i, depth):
        e = list_[i]
        if e.kids:
            t = e.type
            one = "((%s)(%d))" % (t, 1)
            found.append((depth + 100, *put(list_, i, generate.E(t, one, limit=1))))
            if not e.closed:
                for k in e.kids:
                    if k.type == t:
                        found.append((depth + 50, *put(list_, i, k)))
            for j in range(len(e.kids)):
                expression(e.kids, j, depth + 1)

    def block(list_, depth):
        for i, s in enumerate(list_):
            if s.text:
                found.append((depth, *put(list_, i, generate.S(""))))
            for b in s.blocks:
                if b and not s.text.startswith(("kernel", "static", "inline")):
                    found.append((depth + 1, *put(list_, i, generate.S("{\n@0\n}", [], [b]))))
            for j in range(len(s.exprs)):
                expression(s.exprs, j, depth + 10)
            for b in s.blocks:
                block(b, depth + 1)

    block(program.top, 0)
    found.sort(key=lambda f: f[0])
    return found


def reduce(args):
    judge, ours = pair(args, *args.reduce)
    p = generate.generate(seeds_of(args.seeds, None)[0])

    def differ():
        source = p.render()
        answers = []
        for w in (judge, ours):
            w.send(source, [(p.name, p.stride)])
        for w in (judge, ours):
            answers += w.receive(1)
        return not answers[0].startswith("failed") and answers[0] != answers[1] and \
            (not args.same or answers[1].startswith("failed"))

    if not differ():
        print("no difference")
        return 1
    deadline = time.time() + args.seconds
    changed = True
    while changed and time.time() < deadline:
        changed = False
        done = 0
        todo = places(p)
        # Each try may have made later ones stale; those are simply of a part no longer shown.
        for _, do, undo in todo:
            before = p.render()
            do()
            if p.render() == before:
                undo()
                continue
            if time.time() < deadline and differ():
                changed = True
                done += 1
            else:
                undo()
        print("// %d characters" % len(p.render()), file=sys.stderr, flush=True)
    text = "\n".join(line for line in p.render().split("\n") if line.strip())
    print(text)
    for w in (judge, ours):
        w.stop()
    return 0


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--seeds", help="N or N-M")
    a.add_argument("--options", default="", help="of clBuildProgram")
    a.add_argument("--judge-options", default="", help="of pocl's clBuildProgram")
    a.add_argument("--part", type=int, default=0)
    a.add_argument("--parts", type=int, default=1, help="only every so-many-th seed of the table")
    a.add_argument("--folder", default="/tmp/random-kernels", help="for scratch files")
    a.add_argument("--seconds", type=int, default=300, help="for --reduce")
    a.add_argument("--same", action="store_true", help="--reduce: keep a failure to build, not any difference")
    a.add_argument("--intel", action="store_true", help="--live, --reduce: Intel's driver on the simulated device")
    a.add_argument("--record", action="store_true")
    a.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("--print", action="store_true")
    a.add_argument("--live", nargs=2, metavar=("BUILD", "DEVICE"))
    a.add_argument("--reduce", nargs=2, metavar=("BUILD", "DEVICE"))
    args = a.parse_args()
    if args.print:
        for seed in seeds_of(args.seeds, [0]):
            print(generate.generate(seed).render())
        return 0
    if args.reduce:
        return reduce(args)
    if args.live:
        return live(args)
    try:
        import pyopencl  # noqa: F401
    except ImportError:
        print("skipped: needs python3-pyopencl")
        return 77
    return worker(args) if args.worker else record(args) if args.record else check(args)


if __name__ == "__main__":
    sys.exit(main())
