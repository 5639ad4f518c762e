/* The device as a whole: options, the one clock that every reader of a time stamp uses, and faults.
 */
#include "hw.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sim_gpu {
    const struct gen_device *dev; /* borrowed: static */
    struct sim_options opt;
    struct timespec start;
};

struct sim_gpu *sim_gpu_new(const struct gen_device *dev, const struct sim_options *opt)
{
    struct sim_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return NULL;
    gpu->dev = dev;
    gpu->opt = *opt;
    clock_gettime(CLOCK_MONOTONIC, &gpu->start);
    return gpu;
}

void sim_gpu_free(struct sim_gpu *gpu)
{
    free(gpu);
}

const struct gen_device *sim_gpu_device(const struct sim_gpu *gpu)
{
    return gpu->dev;
}

const struct sim_options *sim_gpu_options(const struct sim_gpu *gpu)
{
    return &gpu->opt;
}

uint64_t sim_clock(const struct sim_gpu *gpu)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)(now.tv_sec - gpu->start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
                  (uint64_t)gpu->start.tv_nsec;
    /* Ticks of hz a second; ns * hz needs more than 64 bits after half an hour. */
    return (uint64_t)((unsigned __int128)ns * gpu->dev->timestamp_hz / 1000000000u);
}

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;

void sim_fault(struct sim_fault *f, const char *fmt, ...)
{
    pthread_mutex_lock(&fault_lock);
    if (!f->set) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(f->text, sizeof f->text, fmt, ap);
        va_end(ap);
        f->set = true;
    }
    pthread_mutex_unlock(&fault_lock);
}
