#!/usr/bin/python3
"""Compare the code that our compiler and Intel's make of the kernels in kernels/.

Both drivers run each kernel once on the same simulated GPU, through
kernel_run.py under `gensim --stats`, and the simulator counts what was executed
(README.md, "Code quality", says what and why).  One row per kernel and device:

  simd      work-items of a full thread
  instr     EU instructions per work-item
  sends     messages per work-item; the end of each thread is left out: there is
            one for every thread of anybody's code
  bytes     bytes moved by enabled channels, memory and local memory, per work-item
  spills    messages to scratch space, of all threads
  clocks    the model's estimate for the launch, and which of its terms it was:
            pipes, ports or chain (man gensim, THE MODEL)

each as ours, Intel's and ours / Intel's.  Devices that Intel's driver does not
know (before generation 8) have our figures only.

Only the kernel measured counts.  A driver may fill or copy with kernels of its
own, and Intel's code has no names, so kernels are told apart by what they do:
where a run had a single dispatch, with as many work-items as the launch, that is
the kernel.  Otherwise everything but the launch is done once more
(kernel_run.py --no-launch) and what this run had is taken off, kernel by kernel
(by a hash of the code): the rest is what the launch caused.  It must have the
launch's number of work-items, or the kernel counts as failed.

What breaks the bars is listed at the end: clocks above 1.15 in the geometric
mean or above 2 in one kernel, more sends or bytes per work-item than Intel's
code has, spills where that has none.  That does not change the exit status, a
kernel that fails does.  Whether results are right is for kernel_run.py --check
to say.

The last line printed is 'codequality_clocks VALUE ratio', the geometric mean over
kernels and devices (without Intel's driver: 'codequality_failed VALUE kernels').
"""
import argparse
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

import kernel_run

HERE = os.path.dirname(os.path.abspath(__file__))
INTEL_GENERATION = 8.0      # the first that Intel's driver knows

# Ratios compared; their bars: for the geometric mean, for one kernel.
RATIOS = {'instr': (None, None), 'sends': (None, 1.0), 'bytes': (None, 1.0),
          'clocks': (1.15, 2.0)}
ROUNDING = 1e-9             # what two quotients of whole numbers may differ by


class Failed(Exception):
    pass


def gensim(a, icd, device, path, options, stats):
    """Run kernel_run.py on one kernel; return what it printed, a line a kernel."""
    env = dict(os.environ, OCL_ICD_VENDORS=icd, BEIGNET_CACHE='0', NEO_CACHE_PERSISTENT='0',
               PYOPENCL_NO_CACHE='1') # it would keep the binaries of an older compiler
    cmd = [a.gensim, '--device', device, '--stats=json:' + stats, '--',
           os.path.join(HERE, 'kernel_run.py'), '--runs', '0',
           '--options=' + a.options] + options + [path]
    try:
        r = subprocess.run(cmd, env=env, text=True, timeout=a.timeout,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        raise Failed('timed out')
    if r.returncode:
        bad = [s for s in r.stdout.splitlines() if 'ERROR' in s or 'fault' in s]
        raise Failed('; '.join(bad) or 'exit status %d: %s' % (r.returncode, r.stdout[-200:]))
    return [s for s in r.stdout.splitlines() if not s.startswith('#')]


def subtract(one, other):
    """One object of counts less another; what is no count stays."""
    out = {}
    for key, value in one.items():
        if isinstance(value, dict):
            out[key] = subtract(value, other.get(key, {}))
        elif isinstance(value, (int, float)) and key not in ('simd', 'code_bytes', 'longest_thread'):
            out[key] = value - other.get(key, 0)
        else:
            out[key] = value
    return out


def launched(a, icd, device, path, tmp):
    """Run one kernel; return the simulator's records of what its launch ran."""
    def stats(options):
        name = os.path.join(tmp, 'stats.json')
        if os.path.exists(name):
            os.unlink(name)
        lines = gensim(a, icd, device, path, options, name)
        if 'skipped' in lines[0]:
            return None
        with open(name) as f:
            return json.load(f)

    size = math.prod(kernel_run.read_header(path)['global'])
    run = stats([])
    if run is None:
        return None
    ran = run['kernels']
    if run['total']['dispatches'] != 1:
        besides = {k['hash']: k for k in stats(['--no-launch'])['kernels']}
        ran = [subtract(k, besides.get(k['hash'], {})) for k in ran]
        ran = [k for k in ran if k['dispatches']]
    if sum(k['work_items'] for k in ran) != size:
        raise Failed('launched %d work-items; dispatched %s' %
                     (size, ', '.join('%d by %s' % (k['work_items'], k['name']) for k in ran)))
    return ran


def figures(ran):
    """The figures of one launch from the simulator's records."""
    items = sum(k['work_items'] for k in ran)
    kinds = {}
    for k in ran:
        for name, m in k['messages'].items():
            to = kinds.setdefault(name, dict.fromkeys(m, 0))
            for what, value in m.items():
                to[what] += value
    most = max(ran, key=lambda k: k['model']['clocks'])
    return {
        'simd': most['simd'],
        'work_items': items,
        'instr': sum(k['instructions']['count'] for k in ran) / items,
        'sends': sum(m['count'] for n, m in kinds.items() if n != 'end_thread') / items,
        'bytes': sum(m['memory_bytes'] for m in kinds.values()) / items,
        'spills': sum(k['spills'] for k in ran),
        'clocks': sum(k['model']['clocks'] for k in ran),
        # the largest term, recomputed: after a subtraction "limit" may be another
        'limit': max(('pipes', 'ports', 'chain'), key=lambda t: most['model'][t]),
        'model': {t: sum(k['model'][t] for k in ran) for t in ('pipes', 'ports', 'chain')},
        'issue_clocks': sum(k['instructions']['issue_clocks'] for k in ran) / items,
        'classes': {c: sum(k['classes'].get(c, {'count': 0})['count'] for k in ran) / items
                    for c in sorted({c for k in ran for c in k['classes']})},
        'messages': {n: {w: v / items for w, v in m.items()} for n, m in kinds.items()},
    }


def ratio(ours, theirs):
    """Ours over theirs; nothing over nothing is 1."""
    if theirs:
        return ours / theirs
    return math.inf if ours else 1.0


def geomean(values):
    values = [v for v in values if 0 < v < math.inf]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def measure(a, device, path, intel, tmp):
    """One row: the figures of both drivers, and their ratios."""
    row = {'device': device, 'kernel': os.path.splitext(os.path.basename(path))[0]}
    try:
        for who, icd in [('ours', a.ours)] + [('intel', a.intel)] * bool(intel):
            ran = launched(a, icd, device, path, tmp)
            row[who] = ran and figures(ran)
    except Failed as e:
        row['failed'] = str(e)
        return row
    if row['ours'] and row.get('intel'):
        row['ratio'] = {q: ratio(row['ours'][q], row['intel'][q]) for q in RATIOS}
    return row


def broken_bars(row):
    """What one row breaks, as lines."""
    if 'ratio' not in row:
        return []
    where = '%s %s: ' % (row['device'], row['kernel'])
    out = [where + '%s %.2f of Intel\'s (bar %g)' % (q, row['ratio'][q], bar)
           for q, (_, bar) in RATIOS.items()
           if bar is not None and row['ratio'][q] > bar * (1 + ROUNDING)]
    if row['ours']['spills'] and not row['intel']['spills']:
        out.append(where + '%d spills, Intel has none' % row['ours']['spills'])
    return out


HEAD = ('%-8s %-14s %7s %23s %21s %23s %9s %25s  %s'
        % ('device', 'kernel', 'simd', 'instr/wi', 'sends/wi', 'bytes/wi', 'spills',
           'clocks', 'limit'))


def print_row(row):
    start = '%-8s %-14s' % (row['device'], row['kernel'])
    if 'failed' in row:
        print(start, 'FAILED', row['failed'])
        return
    o, i, r = row['ours'], row.get('intel'), row.get('ratio')
    if not o:
        print(start, 'skipped: not for this device')
        return

    def triple(q, form, width):
        text = form % o[q]
        if r:
            text += ' %s %5.2f' % (form % i[q], r[q])
        return text.rjust(width)
    pair = '%s %s' % (o['simd'], i['simd']) if r else str(o['simd'])
    spills = '%d %d' % (o['spills'], i['spills']) if r else str(o['spills'])
    limit = '%s %s' % (o['limit'], i['limit']) if r else o['limit']
    print(start, pair.rjust(7), triple('instr', '%.2f', 23), triple('sends', '%.3f', 21),
          triple('bytes', '%.2f', 23), spills.rjust(9), triple('clocks', '%.0f', 25) + '  ' + limit)
    sys.stdout.flush()


def summarise(rows):
    """Geometric means by device and over all; returns (means, broken bars)."""
    means, broken = {}, []
    for group in list(dict.fromkeys(r['device'] for r in rows)) + ['all']:
        of = [r['ratio'] for r in rows if 'ratio' in r and group in (r['device'], 'all')]
        if of:
            means[group] = {q: geomean([x[q] for x in of]) for q in RATIOS}
            broken += ['%s: geometric mean of %s %.2f of Intel\'s (bar %g)' %
                       (group, q, means[group][q], bar) for q, (bar, _) in RATIOS.items()
                       if bar is not None and means[group][q] > bar]
    for row in rows:
        broken += broken_bars(row)
    return means, broken


def generations(a):
    text = subprocess.run([a.gensim, '--list-devices'], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    return {w[0]: float(w[2]) for w in map(str.split, text.splitlines())
            if len(w) > 2 and w[1].startswith('0x')}


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('files', nargs='*', help='kernel sources (default: all)')
    ap.add_argument('--devices', default='skl-gt2,bdw-gt2', help='simulated devices')
    ap.add_argument('--build', metavar='DIR', default=os.path.join(HERE, '..', 'build'),
                    help='build folder with our driver and gensim (default: build)')
    ap.add_argument('--ours', metavar='ICD', help="our driver's ICD, if not the build folder's")
    ap.add_argument('--gensim', metavar='FILE', help="gensim, if not the build folder's")
    ap.add_argument('--intel', metavar='ICD', default='/etc/OpenCL/vendors/intel.icd',
                    help="Intel's driver; empty: ours alone")
    ap.add_argument('--options', default='-cl-std=CL1.2 -cl-denorms-are-zero',
                    help='build options (default: %(default)s; ours never keeps denormals, so '
                         'neither may the other)')
    ap.add_argument('--timeout', type=float, default=600, help='seconds for one run')
    ap.add_argument('--json', metavar='FILE', help='also write everything as JSON')
    a = ap.parse_args()
    build = os.path.abspath(a.build)
    a.ours = a.ours or os.path.join(build, 'vendors', 'beignet.icd')
    a.gensim = a.gensim or os.path.join(build, 'sim', 'gensim')
    for name in (a.ours, a.gensim, a.intel):
        if name and not os.path.exists(name):
            raise SystemExit('no ' + name)
    known = generations(a)
    devices = a.devices.split(',')
    for device in devices:
        if device not in known:
            raise SystemExit('gensim has no device ' + device)
    files = a.files or sorted(glob.glob(os.path.join(HERE, '..', 'kernels', '*.cl')))
    print('# ours, Intel\'s, ours / Intel\'s; wi: work-item')
    print(HEAD)
    rows = []
    for device in devices:
        for path in files:
            with tempfile.TemporaryDirectory() as tmp:
                rows.append(measure(a, device, path,
                                    a.intel and known[device] >= INTEL_GENERATION, tmp))
            print_row(rows[-1])
    means, broken = summarise(rows)
    for line in broken:
        print('# breaks a bar: ' + line)
    failed = sum('failed' in r for r in rows)
    if a.json:
        with open(a.json, 'w') as f:
            json.dump({'rows': rows, 'geomeans': means, 'broken': broken, 'failed': failed}, f,
                      indent=1)
            f.write('\n')
    for group, mean in means.items():
        for q, value in mean.items():
            if group != 'all':
                print('codequality_%s_%s %.3f ratio' % (q, group.replace('-', '_'), value))
    print('codequality_bars_broken %d bars' % len(broken))
    print('codequality_failed %d kernels' % failed)
    if means:
        print('codequality_clocks %.3f ratio' % means['all']['clocks'])
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
