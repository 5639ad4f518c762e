#!/usr/bin/python3
"""Static code-quality table of EU code for OpenCL kernels.

For every kernel source given (default: kernels/*.cl of the project) the
program is compiled for each device with Intel's offline compiler (ocloc), the
EU code is taken out of the binary, disassembled with iga64, and one line of
tab-separated figures per kernel and device is printed.  With --raw a file of
bare EU code made by any other compiler is tabulated in the same way.

Columns: instr counts every EU instruction once, wherever it stands (static);
*_per_wi divides by the SIMD width; alu, mad, math, mov, flow and send split
instr; s_* split send by kind (gmem: a buffer through the binding table, a64:
stateless, slm: local memory); grf_named counts the registers that the code
names as operands' first registers; pipe_cyc is the static issue cost in the
project's model (see README.md).

The last line printed is 'igc_static_instr_total VALUE instructions'.
"""
import argparse
import collections
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IGA = {'hsw': '7p5', 'bdw': '8', 'chv': '8', 'skl': '9', 'kbl': '9',
       'cfl': '9', 'bxt': '9', 'glk': '9'}
MAGIC = 0x494E5443          # start of a patch-token program binary

SENDS = ['gmem_rd', 'gmem_wr', 'a64_rd', 'a64_wr', 'slm_rd', 'slm_wr',
         'atomic', 'sampler', 'typed', 'block', 'const', 'scratch', 'barrier',
         'fence', 'eot', 'other']
COLS = (['kernel', 'device', 'simd', 'instr', 'instr_per_wi', 'bytes',
         'compacted', 'alu', 'mad', 'math', 'mov', 'flow', 'send']
        + ['s_' + k for k in SENDS]
        + ['grf_named', 'pipe_cyc', 'pipe_cyc_per_wi', 'scratch_B', 'private_B', 'slm_B', 'barriers'])
FLOW = {'if', 'else', 'endif', 'while', 'break', 'cont', 'jmpi', 'brc', 'brd',
        'goto', 'join', 'call', 'calla', 'ret', 'halt', 'do'}
MOVS = {'mov', 'movi', 'sel', 'csel', 'smov'}


def sh(cmd, **kw):
    return subprocess.run(cmd, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **kw)


def tokens(buf, off, size):
    """Yield (token, payload) of one patch list."""
    end = off + size
    while off + 8 <= end:
        tok, n = struct.unpack_from('<II', buf, off)
        if n < 8:
            return
        yield tok, buf[off + 8:off + n]
        off += n


def unwrap(buf):
    """Return the device binary held in an ocloc output file (64-bit ELF)."""
    if buf[:4] != b'\x7fELF':
        return buf
    shoff, = struct.unpack_from('<Q', buf, 40)
    esize, count = struct.unpack_from('<HH', buf, 58)
    for i in range(count):
        off, size = struct.unpack_from('<QQ', buf, shoff + i * esize + 24)
        if size > 28 and struct.unpack_from('<I', buf, off)[0] == MAGIC:
            return buf[off:off + size]
    raise ValueError('no patch-token program in the ELF file')


def split_binary(buf):
    """Yield one dict per kernel of a patch-token program binary."""
    buf = unwrap(buf)
    (magic, _, _, _, nker, _, plist) = struct.unpack_from('<7I', buf, 0)
    if magic != MAGIC:
        raise ValueError('not a patch-token binary')
    off = 28 + plist
    for _ in range(nker):
        # checksum, hash (8 bytes), name size, patch size, five heap sizes
        nlen, psize, kheap, gheap, dheap, sheap, used = \
            struct.unpack_from('<7I', buf, off + 12)
        off += 40
        name = buf[off:off + nlen].split(b'\0')[0].decode()
        off += nlen
        k = {'name': name, 'code': buf[off:off + used], 'simd': 0,
             'scratch': 0, 'private': 0, 'slm': 0, 'barriers': 0}
        off += kheap + gheap + dheap + sheap
        for tok, p in tokens(buf, off, psize):
            word = struct.unpack('<%dI' % (len(p) // 4), p[:len(p) // 4 * 4])
            if tok == 23:                     # execution environment
                k['simd'], k['barriers'] = word[3], word[5]
            elif tok in (18, 55):             # media VFE state, slots 0 and 1
                k['scratch'] += word[1]
            elif tok == 15:                   # local memory declared in kernel
                k['slm'] = word[1]
            elif tok == 38:                   # private memory surface
                # surface offset, argument offset and size, bytes per work-item
                k['private'] = word[3]
        off += psize
        yield k


def classify(comment, desc):
    """Name the kind of one send from iga64's comment and its descriptor."""
    c = comment.lower()
    bti = desc & 0xff if desc is not None else None
    if 'end of thread' in c:
        return 'eot'
    if 'barrier' in c or 'gateway' in c or 'gtwy' in c:
        return 'barrier'
    if 'fence' in c:
        return 'fence'
    if 'sampler' in c or 'smpl' in c or 'sample' in c:
        return 'sampler'
    if 'scratch' in c:
        return 'scratch'
    if 'atomic' in c:
        return 'atomic'
    if 'typed' in c and 'untyped' not in c or 'render' in c or 'media' in c:
        return 'typed'
    if 'a64' in c and 'block' not in c:
        return 'a64_wr' if 'write' in c else 'a64_rd'
    if 'dcro' in c or 'constant cache' in c or 'hdc_ro' in c:
        return 'const'
    if 'block' in c:
        return 'block'
    if 'read' in c or 'write' in c or 'scatter' in c or 'gather' in c:
        wr = 'write' in c or ('scatter' in c and 'read' not in c)
        where = 'slm' if bti == 0xfe else 'gmem'
        return where + ('_wr' if wr else '_rd')
    return 'other'


def disassemble(code, platform):
    with tempfile.NamedTemporaryFile(suffix='.krn') as f:
        f.write(code)
        f.flush()
        r = sh(['iga64', '-d', '-p=' + platform, '-n', f.name])
    if r.returncode:
        sys.exit('iga64 failed: ' + r.stdout[:400])
    return r.stdout


LINE = re.compile(r'^\s*(?:\(([^)]*)\)\s*)?([a-z][a-z0-9.]*)\s*\((\d+)\|M\d+\)')
BARE = re.compile(r'^\s*(?:\(([^)]*)\)\s*)?([a-z][a-z0-9.]*)\b')
GRF = re.compile(r'(?<![a-z0-9])r(\d+)(?:\.\d+)?')
DESC = re.compile(r'(0x[0-9A-Fa-f]+|a0\.\d+)\s+(0x[0-9A-Fa-f]+|a0\.\d+)')


SIZE = {'b': 1, 'ub': 1, 'w': 2, 'uw': 2, 'hf': 2, 'd': 4, 'ud': 4, 'f': 4,
        'v': 4, 'uv': 4, 'vf': 4, 'q': 8, 'uq': 8, 'df': 8}
TYPE = re.compile(r':(ub|uw|ud|uq|uv|vf|hf|df|b|w|d|q|f|v)(?![a-z])')


def issue_cost(op, width, code):
    """EU clocks that one instruction holds its pipe, in the project's model:
    16 bytes a clock and pipe, at least 2; math at a quarter of that rate; a
    multiply of two 32-bit integers at half."""
    if op.startswith('send'):
        return 2
    types = TYPE.findall(code)
    wide = max([SIZE[t] for t in types] or [4])
    cost = max(2, (width * wide + 15) // 16)
    if op == 'math':
        return cost * 4
    if op in ('mul', 'mach') and sum(t in ('d', 'ud') for t in types) >= 3:
        return cost * 2
    return cost


def tabulate(text, unknown):
    n = collections.Counter()
    named = set()
    for line in text.splitlines():
        code, _, comment = line.partition('//')
        m = LINE.match(code)
        bare = None if m else BARE.match(code)
        if not (m or bare) or code.strip().endswith(':'):
            continue
        op = (m or bare).group(2).split('.')[0]
        width = int(m.group(3)) if m else 1
        n['instr'] += 1
        n['compacted'] += 'Compacted' in code
        n['pipe_cyc'] += issue_cost(op, width, code)
        named.update(int(r) for r in GRF.findall(code))
        if op in ('send', 'sends', 'sendc', 'sendsc'):
            n['send'] += 1
            d = DESC.search(code)
            desc = int(d.group(2), 16) if d and d.group(2)[0] == '0' else None
            kind = 'eot' if 'EOT' in code else classify(comment, desc)
            n['s_' + kind] += 1
            if kind == 'other':
                unknown[comment.strip() or code.strip()] += 1
        elif op in FLOW:
            n['flow'] += 1
        elif op == 'math':
            n['math'] += 1
        elif op in ('mad', 'madm', 'mac', 'lrp'):
            n['mad'] += 1
        elif op in MOVS:
            n['mov'] += 1
        else:
            n['alu'] += 1
    n['grf_named'] = len(named)
    return n


def row(name, device, k, n):
    v = dict(n)
    v.update(kernel=name, device=device, simd=k['simd'], bytes=len(k['code']),
             instr_per_wi='%.2f' % (n['instr'] / k['simd']) if k['simd'] else '',
             pipe_cyc_per_wi='%.2f' % (n['pipe_cyc'] / k['simd']) if k['simd'] else '',
             scratch_B=k['scratch'], private_B=k['private'], slm_B=k['slm'],
             barriers=k['barriers'])
    print('\t'.join(str(v.get(c, 0)) for c in COLS))


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('files', nargs='*', help='kernel sources (or EU code with --raw)')
    ap.add_argument('--devices', default='bdw,skl', help='ocloc device names')
    ap.add_argument('--options', default='-cl-std=CL1.2', help='build options')
    ap.add_argument('--raw', metavar='DEVICE', help='files hold bare EU code for '
                    'this device (hsw, bdw, skl ...)')
    ap.add_argument('--simd', type=int, default=0, help='SIMD width with --raw')
    ap.add_argument('--save', metavar='DIR', help='keep code and listings here')
    a = ap.parse_args()
    files = a.files or sorted(glob.glob(os.path.join(HERE, '..', 'kernels', '*.cl')))
    unknown = collections.Counter()
    total = 0
    print('\t'.join(COLS))

    def one(name, device, k):
        text = disassemble(k['code'], IGA[device])
        if a.save:
            os.makedirs(a.save, exist_ok=True)
            base = os.path.join(a.save, '%s.%s' % (name, device))
            with open(base + '.krn', 'wb') as f:
                f.write(k['code'])
            with open(base + '.asm', 'w') as f:
                f.write(text)
        n = tabulate(text, unknown)
        row(name, device, k, n)
        return n['instr']

    for path in files:
        stem = os.path.splitext(os.path.basename(path))[0]
        if a.raw:
            k = {'code': open(path, 'rb').read(), 'simd': a.simd, 'scratch': 0,
                 'private': 0, 'slm': 0, 'barriers': 0}
            total += one(stem, a.raw, k)
            continue
        for device in a.devices.split(','):
            with tempfile.TemporaryDirectory() as tmp:
                r = sh(['ocloc', 'compile', '-q', '-file', path, '-device',
                        device, '-out_dir', tmp, '-output', 'k',
                        '-options', a.options])
                out = glob.glob(os.path.join(tmp, '*.bin'))
                if r.returncode or not out:
                    print('%s\t%s\tFAILED' % (stem, device))
                    print(r.stdout, file=sys.stderr)
                    continue
                for k in split_binary(open(out[0], 'rb').read()):
                    total += one(k['name'], device, k)
    for what, count in unknown.most_common():
        print('# unclassified send x%d: %s' % (count, what), file=sys.stderr)
    print('igc_static_instr_total %d instructions' % total)


if __name__ == '__main__':
    main()
