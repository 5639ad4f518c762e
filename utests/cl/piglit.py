#!/usr/bin/python3
"""Runs Debian's piglit OpenCL profile (710 programs, none of ours) on a simulated device. Fails on any crash,
time-out or failure that piglit-expected.txt does not name, and on a pass of a name that it does.
usage: piglit.py TOP BUILD DEVICE [more piglit options, such as -t REGEX]"""

import bz2
import json
import os
import pathlib
import shutil
import subprocess
import sys


def main():
    top, build, device = (pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
    if not shutil.which("piglit"):
        print("skipped: needs piglit")
        return 77
    out = build / ("piglit-" + device)
    shutil.rmtree(out, ignore_errors=True)
    env = dict(os.environ, OCL_ICD_VENDORS=str(build / "vendors"), BEIGNET_CACHE="0")
    command = [build / "sim/gensim", "--device", device, "--hang-limit", "200000000", "--",
               "piglit", "run", "-c", "-j", "2", "--timeout", "120", *sys.argv[4:], "cl", out]
    run = subprocess.run([str(c) for c in command], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        print(run.stdout.decode(errors="replace")[-3000:])
        print("piglit itself failed with status %d" % run.returncode)
        return 1
    tests = json.load(bz2.open(out / "results.json.bz2"))["tests"]
    expected = {line.split()[0] for line in (top / "utests/cl/piglit-expected.txt").read_text().splitlines()
                if line and not line.startswith("#")}
    counts, bad = {}, 0
    for name, test in sorted(tests.items()):
        result = test["result"]
        counts[result] = counts.get(result, 0) + 1
        if result in ("pass", "skip") and name not in expected:
            continue
        if result == "fail" and name in expected:
            continue
        bad += 1
        print("%s: %s%s" % (name, result, ", though expected to fail" if name in expected else ""))
        print((test.get("err") or "")[-800:], (test.get("out") or "")[-800:])
    print(device, ", ".join("%s %d" % c for c in sorted(counts.items())), "- %d not as expected" % bad)
    return 1 if bad or not counts.get("pass") else 0


sys.exit(main())
