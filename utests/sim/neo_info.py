#!/usr/bin/python3
"""What Intel's driver says of each simulated device, by clinfo.

The table holds what is public of the devices: it is neither read from the simulator nor from the driver.
Usage: neo_info.py GENSIM [DEVICE...]
"""
import os
import subprocess
import sys

ICD = '/etc/OpenCL/vendors/intel.icd'

# name: PCI id, what the marketing name ends with, slices, sub-slices a slice, EUs, threads an EU, timer in ns
DEVICES = {
    'bdw-gt1': (0x1606, 'Graphics', 1, 2, 12, 7, 80),
    'bdw-gt2': (0x1616, 'HD Graphics 5500', 1, 3, 24, 7, 80),
    'bdw-gt3': (0x1626, 'HD Graphics 6000', 2, 3, 48, 7, 80),
    'skl-gt1': (0x1902, 'HD Graphics 510', 1, 2, 12, 7, 83),
    'skl-gt2': (0x1912, 'HD Graphics 530', 1, 3, 24, 7, 83),
    'skl-gt3': (0x1926, 'Iris(R) Graphics 540', 2, 3, 48, 7, 83),
    'skl-gt4': (0x193b, 'Iris(R) Pro Graphics 580', 3, 3, 72, 7, 83),
    'kbl-gt1': (0x5902, 'HD Graphics 610', 1, 2, 12, 7, 83),
    'kbl-gt2': (0x5912, 'HD Graphics 630', 1, 3, 24, 7, 83),
    'kbl-gt3': (0x5926, 'Iris(R) Plus Graphics 640', 2, 3, 48, 7, 83),
    'cfl-gt1': (0x3e90, 'UHD Graphics 610', 1, 2, 12, 7, 83),
    'cfl-gt2': (0x3e92, 'UHD Graphics 630', 1, 3, 24, 7, 83),
    'cfl-gt3': (0x3ea5, 'Iris(R) Plus Graphics 655', 2, 3, 48, 7, 83),
    'bxt-3x6': (0x5a84, 'HD Graphics 505', 1, 3, 18, 6, 52),
    'bxt-2x6': (0x5a85, 'HD Graphics 500', 1, 2, 12, 6, 52),
    'glk-3x6': (0x3184, 'UHD Graphics 605', 1, 3, 18, 6, 52),
    'glk-2x6': (0x3185, 'UHD Graphics 600', 1, 2, 12, 6, 52),
}


def clinfo(gensim, device):
    """The device's properties as a dictionary, by clinfo's raw names."""
    env = dict(os.environ, OCL_ICD_VENDORS=ICD, NEO_CACHE_PERSISTENT='0')
    out = subprocess.run([gensim, '--device', device, '--', 'clinfo', '--raw'], env=env, check=True,
                         stdout=subprocess.PIPE, text=True, timeout=120).stdout
    found = {}
    for line in out.splitlines():
        words = line.split(None, 2)
        if len(words) == 3 and words[0].startswith('[INTEL/0'):
            found[words[1]] = words[2].strip()
    return found


def wrong(gensim, device):
    pci_id, name, slices, subslices, eus, threads, timer = DEVICES[device]
    want = {
        'CL_DEVICE_NAME': 'Intel(R) %s [0x%x]' % (name, pci_id),
        'CL_DEVICE_VENDOR_ID': '0x8086',
        'CL_DEVICE_ID_INTEL': str(pci_id),
        'CL_DEVICE_NUM_SLICES_INTEL': str(slices),
        'CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL': str(subslices),
        'CL_DEVICE_MAX_COMPUTE_UNITS': str(eus),
        'CL_DEVICE_NUM_THREADS_PER_EU_INTEL': str(threads),
        'CL_DEVICE_PROFILING_TIMER_RESOLUTION': str(timer),
        'CL_DEVICE_LOCAL_MEM_SIZE': '65536',
        'CL_DEVICE_MAX_WORK_GROUP_SIZE': '256',
        'CL_DEVICE_IMAGE2D_MAX_WIDTH': '16384',
        'CL_DEVICE_IMAGE_SUPPORT': 'CL_TRUE',
        'CL_DEVICE_SUB_GROUP_SIZES_INTEL': '8 16 32',
    }
    got = clinfo(gensim, device)
    bad = [key for key in want if got.get(key) != want[key]]
    for key in bad:
        print('%s: %s is %s, not %s' % (device, key, got.get(key), want[key]), file=sys.stderr)
    return len(bad)


def main():
    if not os.access(ICD, os.R_OK):
        print("skipped: Intel's OpenCL driver is not installed", file=sys.stderr)
        return 77
    try:
        subprocess.run(['clinfo', '--version'], stdout=subprocess.DEVNULL, check=True)
    except FileNotFoundError:
        print('skipped: clinfo is not installed', file=sys.stderr)
        return 77
    devices = sys.argv[2:] or DEVICES
    unknown = [device for device in devices if device not in DEVICES]
    if unknown:
        print('skipped: nothing is public of ' + ' '.join(unknown), file=sys.stderr)
        return 77
    bad = sum(wrong(sys.argv[1], device) for device in devices)
    print('%d fields wrong' % bad)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
