#!/usr/bin/python3
"""Whether builtins.def is complete and true: every function that the compiler's library defines is a row's, of the
row's types; every overload that a row speaks of is defined; and the tests that a row names call the function.
usage: builtins_table.py TOP BUILD"""

import fnmatch
import pathlib
import re
import subprocess
import sys

WIDTHS = (1, 2, 3, 4, 8, 16)
NAMES = {"c": "signed char", "C": "unsigned char", "s": "short", "S": "unsigned short", "i": "int", "I": "unsigned int",
         "l": "long", "L": "unsigned long", "f": "float", "d": "double", "h": "half"}
BITS = {"c": 8, "C": 8, "s": 16, "S": 16, "i": 32, "I": 32, "l": 64, "L": 64, "f": 32, "d": 64, "h": 16}
SIGNED, UNSIGNED = {8: "c", 16: "s", 32: "i", 64: "l"}, {8: "C", 16: "S", 32: "I", 64: "L"}
SPACES = ("", " AS1", " AS3")  # private, global, local
# Clang's own, which need no library.
BUILT_IN = {"as_*", "vec_step", "printf", "to_global", "to_local", "to_private"}


def rows(text):
    """(function, form, types, tests) of each row; of OTHER rows form is None, and types what the tests say."""
    for line in re.findall(r"^(?:EXACT2?|WHOLE|BITS|BOUNDED|OTHER)\(.*\)$", text, re.M):
        kind, rest = line[:-1].split("(", 1)
        if kind == "OTHER":
            name, tests, said = re.fullmatch(r'"([^"]*)", "([^"]*)"(?:, "([^"]*)")?', rest).groups()
            yield name, None, said or name.partition("*")[0], tests.split()
        else:
            name, form, types = re.match(r'(\w+), "([^"]*)", "([^"]*)", ', rest).groups()
            tests = re.search(r'"([^"]*)"$', rest).group(1).split() if kind == "BOUNDED" else []
            yield name, form, types.replace("%", "cCsSiIlL"), tests


def argument(letter, t, width, space):
    """As c++filt writes the parameter."""
    base = {"i": "i", "k": "i", "Q": "i", "T": "i"}.get(letter, t)
    if letter in "uM":
        base = UNSIGNED[BITS[t]]
    elif letter == "m":
        base = SIGNED[BITS[t]]
    name = NAMES[base]
    if width > 1 and letter not in "sk":
        name += " __vector(%d)" % width
    return name + (space + "*" if letter in "PQT" else "")


def overloads(name, form, types):
    for t in types:
        for width in WIDTHS:
            if width == 1 and "s" in form:
                continue  # the form of the scalars alone
            for space in SPACES if re.search("[PQT]", form) else ("",):
                if width == 1 and "k" in form:
                    continue
                yield "%s(%s)" % (name, ", ".join(argument(a, t, width, space) for a in form[2:-1]))


def defined(build):
    text = b"".join(p.read_bytes() for p in sorted((build / "backend/lib").glob("*64.names")))
    plain = subprocess.run(["c++filt"], input=text, stdout=subprocess.PIPE, check=True).stdout.decode()
    functions = {}
    for mangled, name in zip(text.decode().split(), plain.splitlines()):
        if mangled.startswith("_Z") and not name.startswith("__"):
            # c++filt 2.40 calls halves "half", generic pointers " AS4*", and char "char".
            functions.setdefault(name.split("(")[0], set()).add(re.sub(r"\b(?<!signed )(?<!unsigned )char\b", "signed char", name))
    return functions


def main():
    top, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    table = list(rows((top / "utests/cl/builtins.def").read_text()))
    library = defined(build)
    bad = []
    named = [r[0] for r in table]
    for name in sorted(library):
        if not any(fnmatch.fnmatchcase(name, n) for n in named):
            bad.append("%s: the library defines it, no row is of it" % name)
    wanted = {}
    for name, form, types, tests in table:
        if form:
            wanted.setdefault(name, set()).update(overloads(name, form, types))
    for name, all_ in sorted(wanted.items()):
        for missing in sorted(all_ - library.get(name, set())):
            bad.append("%s: not in the library" % missing)
        if any(n == name and f is None for n, f, _, _ in table):
            continue
        for extra in sorted(library.get(name, set()) - all_):
            # Generic pointers: elementwise's programs in OpenCL C 3.0. Mixed types: libclc's, but no function of OpenCL.
            if " AS4*" not in extra and not ("float" in extra and "double" in extra):
                bad.append("%s: in the library, in no row" % extra)
    for name, form, types, tests in table:
        for test in tests:
            text = "".join(p.read_text() for p in top.glob("utests/*/%s.*" % test)) + \
                   "".join(p.read_text() for p in top.glob("utests/*/%s/*.py" % test))
            word = re.escape(name if form else types)
            end = "" if "*" in name else r"(?![a-z0-9])"
            if not re.search(r"(?<![A-Za-z0-9_])" + word + end, text):
                bad.append("%s: %s doesn't call it" % (name, test))
        if form is None and not tests:
            bad.append("%s: no test" % name)
    for line in bad:
        print(line)
    print("%d rows, %d functions, %d overloads; %d wrong" %
          (len(table), len(library), sum(len(s) for s in library.values()), len(bad)))
    return 1 if bad else 0


sys.exit(main())
