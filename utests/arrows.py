#!/usr/bin/python3
"""Checks that #includes follow the allowed arrows: src, backend and sim each use gen and nothing of each
other; inside src api -> core -> gpu -> gen, inside sim shim -> i915 -> hw -> gen. Usage: arrows.py TOP"""

import pathlib
import re
import sys

# folder -> folders it may include from (besides itself)
ALLOWED = {
    "gen": [],
    "src/gpu": ["gen", "src/x11"],
    "src/x11": [],
    "src/core": ["gen", "src/gpu/gpu.h", "src/cl_api.def"],
    "src/api": ["gen", "src/core", "src/cl_api.def"],
    "backend": ["gen"],
    "sim/hw": ["gen"],
    "sim/i915": ["gen", "sim/hw"],
    "sim/shim": ["gen", "sim/i915", "sim/hw"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def folder_of(path):
    return max((f for f in ALLOWED if path == f or path.startswith(f + "/")), key=len, default=None)


def main():
    top = pathlib.Path(sys.argv[1])
    bad, seen = [], 0
    for part in ("gen", "src", "backend", "sim"):
        for file in sorted((top / part).rglob("*")):
            if file.suffix not in (".c", ".h", ".cpp", ".def"):
                continue
            name = str(file.relative_to(top))
            own = folder_of(name)
            if own is None:
                continue
            for n, line in enumerate(file.read_text().splitlines(), 1):
                m = INCLUDE.match(line)
                if not m:
                    continue
                seen += 1
                target = m.group(1)
                # relative to the including file, or to the top
                local = file.parent / target
                path = str(local.resolve().relative_to(top.resolve())) if local.exists() else target
                if not (top / path).exists():
                    continue  # generated, or a system header in quotes
                other = folder_of(path)
                if other == own or other is None and path.split("/")[0] == own.split("/")[0] and "/" not in own:
                    continue
                if any(path == a or path.startswith(a + "/") for a in ALLOWED[own]):
                    continue
                bad.append("%s:%d includes %s" % (name, n, path))
    for b in bad:
        print(b)
    print("%d includes, %d against the arrows" % (seen, len(bad)))
    return 1 if bad or seen == 0 else 0


sys.exit(main())
