#!/usr/bin/env python3
"""What gensim's --stats, --trace and --check say of the kernels of watched.c, one device a run. Expected
figures are worked out by hand from the model in gensim(1); each complaint has a kernel that earns it and
one that doesn't. Usage: watched.py GENSIM WATCHED DEVICE"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

gensim, watched, device = sys.argv[1:]
# Generation, EUs, threads, subslices, L3 banks (hw/devices: nominal parts).
DEVICES = {'ivb-gt2': (7.0, 16, 128, 2, 4), 'hsw-gt2': (7.5, 20, 140, 2, 4),
           'bdw-gt2': (8.0, 24, 168, 3, 4), 'skl-gt2': (9.0, 24, 168, 3, 4)}
gen, eus, slots, subslices, banks = DEVICES[device]
bad = 0


def check(ok, *what):
    global bad
    if not ok:
        bad += 1
        print('failed:', device, *what, file=sys.stderr)


def run(options, *program):
    r = subprocess.run([gensim, '--device', device, *options, '--', watched, *program],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    return r.returncode, r.stdout, r.stderr


folder = tempfile.TemporaryDirectory()
os.environ['TMPDIR'] = folder.name
report = os.path.join(folder.name, 'report')


def stats(kernel, *more):
    status, _, err = run(['--stats=json:' + report], kernel, *more)
    check(status == 0 and not err, kernel, status, err)
    with open(report) as f:
        s = json.load(f)
    check(s['schema'] == 'gensim-stats-1' and len(s['kernels']) == 1, kernel, 'schema')
    return s, s['kernels'][0]


def same(kernel, got, **want):
    for k, v in want.items():
        check(abs(got[k] - v) < 1e-3 if isinstance(v, float) else got[k] == v, kernel, k, got[k], 'not', v)


def model(kernel, k, pipes, ports, chain):
    m = k['model']
    want = {'pipes': pipes, 'ports': ports, 'chain': chain}
    same(kernel, m, clocks=float(max(want.values())), limit=max(want, key=want.get),
         **{n: float(v) for n, v in want.items()})


# ---- --stats: counts and clocks by hand ----
# Six threads of: three float adds of 16 lanes (64 bytes: 4 clocks), math of 8 (2, four times), an
# integer add of 16 (4), mov of 8 (2), send (2): 28. Before Gen8 integers are the first pipe's too.
s, k = stats('alu')
same('alu', s['device'], generation=gen, eus=eus, subslices=subslices, l3_banks=banks)
same('alu', k, dispatches=1, groups=3, threads=6, work_items=96, simd=16, lines=0, spills=0)
check({n: c['count'] for n, c in k['classes'].items()} ==
      {'float': 18, 'math': 6, 'integer': 6, 'move': 6, 'send': 6}, 'alu', k['classes'])
first = 8 + (6 if gen < 8 else 0)
same('alu', k['instructions'], count=42, lanes=6 * (3 * 16 + 8 + 16 + 8 + 8), zero_mask=0,
     issue_clocks=6 * 28, first_pipe_clocks=6 * first)
model('alu', k, 6 * max(28 / 2, first) / eus, 0, 28)
check(len(s['batches']) == 1 and s['dispatches'][0]['batch'] == 0 and not s['batches'][0]['failed'], 'batches')

# Two threads: send 2, five adds of 4, then one that needs what the send brings at 2 + 400: 406, and the
# end, 2 + 2. A line of 64 bytes each.
s, k = stats('load')
same('load', k, lines=2)
same('load', k['messages']['untyped_read'], count=2, lanes=32, memory_bytes=128, register_bytes=2 * 128, lines=2)
model('load', k, 2 * (2 + 6 * 4 + 4) / 2 / eus, 2 / banks, 402 + 4 + 4)

# 6400 threads that read a line each and don't wait: 2 + 4 clocks a thread, rounds of all slots.
s, k = stats('many')
rounds = -(-6400 // slots)
same('many', k, threads=6400, lines=6400)
model('many', k, 6400 * 6 / 2 / eus, 6400 / banks, 6 * rounds)

# Sixteen dwords at a distance of 8 bytes: eight banks with two each.
s, k = stats('slm')
same('slm', k['slm'], count=1, clocks=2, conflicts=1)
clocks = 4 + 4 + 2 + 4 + (2 if gen == 7.5 else 0)
first = 8 + 2 + (2 if gen == 7.5 else 0) if gen < 8 else 0
model('slm', k, max(clocks / 2, first) / eus, 2 / subslices, clocks)

# mov and and (2 each), send at 6, which the wait needs at 206, wait 2, the end 4.
s, k = stats('barrier')
same('barrier', k, barriers=2)
check(k['classes']['other']['count'] == 2, 'barrier', 'waits')
model('barrier', k, 2 * max(12 / 2, 6 if gen < 8 else 0) / eus, 0, 206 + 2 + 4)

s, k = stats('atomic')
same('atomic', k, atomics=2, lines=2)
# Twice a compare and a predicated mov: of three lanes, and of none.
s, k = stats('masked')
same('masked', k['instructions'], count=6, zero_mask=1, lanes=16 + 3 + 16 + 0 + 8 + 8)
s, k = stats('unset_scratch_ok')
same('spills', k, spills=2)

# ---- table and page ----
status, _, err = run(['--stats'], 'alu')
check(status == 0 and re.search(r'float +18 +16\.00 +72\n', err), 'table', err)
check(re.search(r'model: 28\.00 clocks .* limited by chain\n', err), 'table', err)
status, _, err = run(['--stats:' + report], 'alu')
check(status == 0 and not err and '6 threads, 96 work-items, SIMD16' in open(report).read(), 'table in a file')
status, _, err = run(['--stats=html:' + report], 'alu')
page = open(report).read()


class Page(html.parser.HTMLParser):
    depth, data, seen = 0, '', set()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.inside = ('type', 'application/json') in attributes
        check(not any(n in ('src', 'href') for n, _ in attributes), 'page', 'needs other files')

    def handle_data(self, data):
        self.data += data if self.inside else ''


p = Page()
p.inside = False
p.feed(page)
check(status == 0 and json.loads(p.data)['total']['threads'] == 6 and {'svg', 'script'} <= p.seen, 'page')

# ---- symbols ----
s, k = stats('alu', 'good')
check(k['name'] == 'alu', 'symbols', k['name'])
s, k = stats('alu')
check(re.fullmatch('kernel at 0x3000000, hash [0-9a-f]{16}', k['name']), 'no symbols', k['name'])
known = k['hash']
status, _, err = run(['--stats'], 'alu', 'bad')
check(status == 0 and err.count('ignored') == 1 and err.count('kernel at 0x3000000') == 1, 'bad symbols', err)
status, _, err = run(['--check'], 'bounds', 'good')
check(status == 3 and 'out of bounds: bounds, +0x20 (other.h:1) "send' in err, 'symbols', err)
status, _, err = run(['--check'], 'race_slm', 'good')
check(status == 3 and re.search(r'data race: race_slm, .*\(other\.h:1\)', err), 'symbols', err)
status, _, err = run(['--check'], 'object', 'good')
check(status == 3 and 'GPU hang: context 0, render engine: object, instruction at +0x10 (dir/object.cl:7)' in err,
      'symbols in a fault', err)
check(not os.listdir(folder.name) or os.listdir(folder.name) == ['report'], 'left behind', os.listdir(folder.name))

# ---- --trace ----
two = '4294967291 4294967292'
for what, group, thread, value in (('*', 0, 0, '-5'), ('*:1:1', 1, 1, '-4'), ('*:1,0,0:0', 1, 0, '-5'),
                                   ('0x3000000:0:1', 0, 1, '-4')):
    status, _, err = run(['--trace=' + what], 'values')
    lines = err.splitlines()
    check(status == 0 and f'group ({group}, 0, 0) thread {thread}, simd16, work-items 0xffff' in lines[0], what, err)
    check(len([n for n in lines if n.startswith('+')]) == 4 and len(lines) == 1 + 2 + 4 + 3 + 2, what, err)
    check(lines[1].startswith('+0x0000 [ffff] mov (16|M0) r10.0<1>:d') and lines[2].split() == ['->', 'dst', '-5', '(all)'],
          what, lines[1:3])
    check(lines[4].split() == ['src0', '-5', '(all)'] and lines[6].split() == ['->', 'dst', value, '(all)'],
          what, lines[3:7])
status, _, err = run(['--trace=values'], 'values', 'good')
check(status == 0 and '+0x0010 [ffff] add' in err and '(dir/values.cl:7)' in err, 'trace by name', err)
status, _, err = run(['--trace=other'], 'values', 'good')
check(status == 0 and not err, 'trace of another', err)
status, _, err = run(['--trace=*', '--trace-limit', '2'], 'values')
check(status == 0 and err.count('\n+0x') == 2 and 'left out' in err, 'trace limit', err)
status, _, err = run(['--trace'], 'values')
check(status == 0 and 'GPGPU_WALKER' in err and 'dispatch kernel 0x3000000' in err and '\n+0x0010 ' in err, 'trace', err)
status, _, err = run(['--trace=' + known], 'alu')
check(status == 0 and 'math.inv' in err, 'trace by hash', err)

# ---- --check: one that earns it, one that doesn't ----
for kernel, kind, text in (
        ('bounds', 'out of bounds', 'thread 1 lane 0: write of 4 bytes at surface 1 (base 0x4000000, 64 bytes) + 0x40'),
        ('bounds_read', 'out of bounds', 'thread 1 lane 0: read of 4 bytes at surface 1'),
        ('object', 'out of bounds', 'lane 0: read of 4 bytes at 0x4010000 (nothing mapped; 0x0 past object '),
        ('unset', 'unwritten', 'lane 0: reads r50.0, which was never written'),
        ('unset_passed', 'unwritten', 'reads r54.0'),
        ('unset_flag', 'unwritten', 'reads f1.0'),
        ('unset_slm', 'unwritten', 'uses r30.0, loaded at +0x'),
        ('unset_scratch', 'unwritten', 'uses r30.0, loaded at +0x0 from memory that was never written'),
        ('race', 'data race', 'thread 1 lane 0: writes 0x4000000'),
        ('race_groups', 'data race', 'group (0, 0, 0) thread 0 wrote it'),
        ('race_lanes', 'data race', 'lane 1: writes 0x4000000 '),
        ('race_block', 'data race', 'thread 1: writes 0x4000000'),
        ('race_scratch', 'data race', 'writes 0x5000000'),
        ('race_slm', 'data race', 'of shared local memory'),
        ('diverge_end', 'barrier divergence', "have ended"),
        ('diverge_lanes', 'barrier divergence', 'work-items 0xff of the thread are at this barrier, 0xff00 are elsewhere'),
        ('diverge_two', 'barrier divergence', 'others of the group are at another barrier'),
        *([('unset_lanes', 'unwritten', 'reads r21.0')] if gen >= 8 else [])):
    status, out, err = run(['--check'], kernel)
    reports = [n for n in err.splitlines() if n.startswith('gensim: check: ')]
    check(status == 3 and len(reports) >= 2, kernel, status, err)
    check(any(n.startswith(f'gensim: check: {kind}: kernel at 0x3000000, hash ') and text in n
              for n in reports[:-1]), kernel, err)
    check(f'{kind} at ' in reports[-1] and 'place' in reports[-1], kernel, reports[-1])
    check(('hung' in out) == (kernel in ('diverge_end', 'object', 'unset_lanes')), kernel, out)
for kernel in ('bounds_ok', 'object_ok', 'diverge_lanes_ok', 'unset_ok', 'unset_passed_ok', 'unset_slm_ok', 'unset_scratch_ok', 'unset_lanes_ok', 'race_ok',
               'race_same_ok', 'race_lanes_ok', 'race_atomic_ok', 'race_slm_ok', 'diverge_ok', 'barrier'):
    status, out, err = run(['--check'], kernel)
    check(status == 0 and not err and not out, kernel, status, out, err)
status, _, err = run(['--check=stop'], 'bounds')
check(status == 3 and err.count('out of bounds') == 2, 'stop', status, err)
# The program's own failure counts for more.
status, _, err = run(['--check'], 'nothing')
check(status == 1, 'own failure', status)

# ---- --perturb: nothing that is defined changes, whatever is undefined may ----
for kernel in ('alu', 'race_slm_ok', 'unset_scratch_ok', 'barrier'):
    for seed in ('1', '77'):
        status, out, err = run(['--perturb', seed, '--check'], kernel)
        check(status == 0 and not err and not out, kernel, 'seed', seed, status, out, err)


def loaded(kernel, *options):
    """Register 30 after the load from memory that was never written."""
    _, _, err = run(['--trace=*', *options], kernel)
    return re.search(r'-> r30 +(.*)', err).group(1)


for kernel in ('unset_slm', 'unset_scratch'):
    check(set(loaded(kernel).split()) == {'00000000'}, kernel, 'is not zero')
    one, again, two = (loaded(kernel, '--perturb', n) for n in ('5', '5', '6'))
    check(one == again and one != two and '00000000' not in one, kernel, one, again, two)

# Which group is the last, where objects lie.
for kernel in ('order', 'place'):
    plain = run(['--threads', '1'], kernel)[1]
    check(plain == run(['--threads', '1'], kernel)[1] and (kernel != 'order' or plain == '15\n'), kernel, plain)
    seeds = [run(['--threads', '1', '--perturb', str(n)], kernel)[1] for n in (3, 3, 4, 5, 6)]
    check(seeds[0] == seeds[1] and len(set(seeds)) > 1 and set(seeds) != {plain}, kernel, plain, seeds)

# ---- --fault, --delay ----
status, out, err = run(['--fault', 'hang:1'], 'alu')
check(status == 0 and 'hung' in out and '--fault asked for it' in err, 'hang', status, out, err)
status, out, err = run(['--fault', 'hang:2'], 'alu')
check(status == 0 and not out and not err, 'no hang', status, out, err)
s, _ = stats('alu')
status, _, err = run(['--delay', '120', '--stats=json:' + report], 'alu')
b = json.load(open(report))['batches'][0]
check(status == 0 and b['end_ns'] - b['submitted_ns'] >= 120e6, 'delay', status, b)

sys.exit(bad != 0)
