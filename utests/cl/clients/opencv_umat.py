#!/usr/bin/python3
"""OpenCV's operations on UMat, which run OpenCL kernels, against the same on arrays, which run on the processor."""
import sys

import cv2
import numpy as np

SIZE = (64, 96)


def operations(rng):
    """(name, operation, argument, the greatest difference allowed)"""
    colour = rng.randint(0, 256, SIZE + (3,), np.uint8)
    grey = rng.randint(0, 256, SIZE, np.uint8)
    real = rng.rand(*SIZE).astype(np.float32)
    turn = np.float32([[1, .2, 3], [-.1, .9, 2]])
    kernel = np.ones((3, 3), np.uint8)
    return [
        ("cvtColor", lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2GRAY), colour, 1),
        ("cvtColor HSV", lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2HSV), colour, 1),
        ("threshold", lambda x: cv2.threshold(x, 100, 255, cv2.THRESH_BINARY)[1], grey, 0),
        ("erode", lambda x: cv2.erode(x, kernel), grey, 0),
        ("add", lambda x: cv2.add(x, x), colour, 0),
        ("multiply", lambda x: cv2.multiply(x, x, scale=0.5), grey, 1),
        ("resize linear", lambda x: cv2.resize(x, (50, 40), interpolation=cv2.INTER_LINEAR), colour, 1),
        ("resize area", lambda x: cv2.resize(x, (48, 32), interpolation=cv2.INTER_AREA), colour, 1),
        ("GaussianBlur", lambda x: cv2.GaussianBlur(x, (5, 5), 1.2), colour, 1),
        ("medianBlur", lambda x: cv2.medianBlur(x, 3), grey, 0),
        ("bilateralFilter", lambda x: cv2.bilateralFilter(x, 5, 30, 30), grey, 1),
        ("warpAffine", lambda x: cv2.warpAffine(x, turn, SIZE[::-1]), colour, 1),
        ("Sobel", lambda x: cv2.Sobel(x, cv2.CV_32F, 1, 0), real, 1e-4),
        ("Laplacian", lambda x: cv2.Laplacian(x, cv2.CV_32F), real, 1e-4),
        ("calcHist", lambda x: cv2.calcHist([x], [0], None, [32], [0, 256]), grey, 0),
        ("equalizeHist", lambda x: cv2.equalizeHist(x), grey, 1),
        ("integral", lambda x: cv2.integral(x), grey, 0),
        ("pyrDown", lambda x: cv2.pyrDown(x), grey, 1),
        ("dft", lambda x: cv2.dft(x, flags=cv2.DFT_COMPLEX_OUTPUT), real, 1e-2),
        ("sqrt", lambda x: cv2.sqrt(x), real, 1e-5),
        ("exp", lambda x: cv2.exp(x), real, 1e-5),
        ("pow", lambda x: cv2.pow(x, 3), real, 1e-5),
        ("gemm", lambda x: cv2.gemm(x, x, 1, x, 0), real[:64, :64].copy(), 1e-3),
        ("transpose", lambda x: cv2.transpose(x), colour, 0),
        ("flip", lambda x: cv2.flip(x, -1), colour, 0),
        ("split", lambda x: cv2.split(x)[1], colour, 0),
        ("LUT", lambda x: cv2.LUT(x, np.arange(255, -1, -1).astype(np.uint8)), grey, 0),
        ("norm", lambda x: cv2.norm(x), real, 1e-2),
        ("sumElems", lambda x: cv2.sumElems(x), grey, 0),
        ("minMaxLoc", lambda x: cv2.minMaxLoc(x)[:2], real, 0),
    ]


def main():
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        print("OpenCV sees no device: OPENCV_OPENCL_DEVICE")
        return 1
    wrong = []
    todo = operations(np.random.RandomState(1))
    for name, do, x, most in todo:
        cv2.ocl.setUseOpenCL(False)
        want = do(x)
        cv2.ocl.setUseOpenCL(True)
        got = do(cv2.UMat(x))
        got = got.get() if isinstance(got, cv2.UMat) else got
        if not np.abs(np.asarray(want, np.float64) - np.asarray(got, np.float64)).max() <= most:
            wrong.append(name)
    print("%s: %d operations, %s" % (cv2.ocl.Device.getDefault().name().strip(), len(todo),
                                     "wrong: " + ", ".join(wrong) if wrong else "all right"))
    return bool(wrong)


sys.exit(main())
