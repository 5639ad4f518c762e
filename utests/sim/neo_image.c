/* Intel's own OpenCL driver, unmodified, on the simulated device: images. */
#define INTEL_DRIVER
#include "../cl/images.c"
