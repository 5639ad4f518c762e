#!/usr/bin/python3
"""benchmark/codequality.py counts right: what it says of kernels whose work one can count by hand, and that only
the launch counts, whatever else a driver has run.
usage: codequality.py TOP BUILD"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# By kernel: per work-item bytes of memory, and of each kind of message how many times a work-item takes part.
# saxpy reads two floats and writes one; image_blur samples nine times and writes once, and images count no bytes.
# Intel's driver fills and reads the images with kernels of its own.
BY_HAND = {
    "saxpy": {"bytes": 12, "part": {"read": 2, "write": 1}},
    "image_blur": {"bytes": 0, "part": {"sampler": 9, "typed_write": 1}},
}
WORK_ITEMS = {"saxpy": 65536, "image_blur": 128 * 128}
INTEL = "/etc/OpenCL/vendors/intel.icd"


def part(messages, kind):
    """Lanes per work-item of all messages of one kind, however they are addressed."""
    return sum(m["lanes"] for name, m in messages.items() if name == kind or name.endswith("_" + kind)
               and not name.startswith("typed"))


def check_counts(rows, who):
    bad = 0
    for row in rows:
        want, got = BY_HAND[row["kernel"]], row[who]
        width = min(got["simd"], 16)  # of one message: longer code sends twice
        facts = [("work-items", got["work_items"], WORK_ITEMS[row["kernel"]]), ("bytes", got["bytes"], want["bytes"]),
                 ("spills", got["spills"], 0)]
        facts += [(kind, part(got["messages"], kind), n) for kind, n in want["part"].items()]
        if row["kernel"] == "saxpy":
            facts.append(("sends", got["sends"], 3 / width))
            # 12 bytes of each work-item in lines of 64 through the four banks that skl-gt2 has
            facts.append(("port clocks", got["model"]["ports"], 65536 * 12 / 64 / 4))
        for name, is_, should in facts:
            if is_ != should:
                print("%s %s: %s %s, by hand %s" % (who, row["kernel"], name, is_, should))
                bad += 1
    return bad


def check_rule(program):
    """A driver's own kernels don't count, not even when one has the code of the kernel that is measured."""
    def kernel(hash_, dispatches, items):
        return {"name": "kernel", "hash": hash_, "simd": 16, "dispatches": dispatches, "work_items": items,
                "messages": {"untyped_read": {"count": items // 16}}}
    both = program.subtract(kernel("a", 3, 3 * 64), kernel("a", 2, 2 * 64))
    if both["dispatches"] != 1 or both["work_items"] != 64 or both["messages"]["untyped_read"]["count"] != 4 \
            or both["simd"] != 16 or both["hash"] != "a":
        print("what is left of three dispatches less two: %s" % both)
        return 1
    return 0


def main():
    top, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        import pyopencl  # noqa: F401, kernel_run.py needs it
    except ImportError:
        print("skipped: needs python3-pyopencl")
        return 77
    sys.path.insert(0, str(top / "benchmark"))
    spec = importlib.util.spec_from_file_location("codequality", top / "benchmark/codequality.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    bad = check_rule(program)
    drivers = {"ours", "intel"} if os.path.exists(INTEL) else {"ours"}
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, "out.json")
        run = subprocess.run([str(top / "benchmark/codequality.py"), "--build", str(build), "--devices", "skl-gt2",
                              "--intel", INTEL if "intel" in drivers else "", "--json", out,
                              *(str(top / "kernels" / (name + ".cl")) for name in BY_HAND)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            print(run.stdout)
            return 1
        result = json.load(open(out))
    if len(result["rows"]) != len(BY_HAND):
        print("%d rows" % len(result["rows"]))
        bad += 1
    for who in sorted(drivers):
        bad += check_counts(result["rows"], who)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
