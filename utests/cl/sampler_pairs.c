/* A kernel may read each of its images with each of its samplers: far more pairs than the sixteen
 * states that a message of the sampler can name by itself. */
#include "clu.h"

enum { IMAGES = 20, SAMPLERS = 5, POINTS = 2 };

/* Of a row of two texels A B, at 1.25 and 2.25 of its width: as the address mode says. */
static const struct {
    const char *name, *bits;
    int texel[POINTS]; /* -1: the border */
} samplers[SAMPLERS] = {
    {"edge", "CLK_ADDRESS_CLAMP_TO_EDGE", {1, 1}},
    {"border", "CLK_ADDRESS_CLAMP", {-1, -1}},
    {"repeat", "CLK_ADDRESS_REPEAT", {0, 0}},
    {"mirror", "CLK_ADDRESS_MIRRORED_REPEAT", {1, 0}},
    {"given", NULL, {0, 0}}, /* an argument: repeats */
};

int main(void)
{
    static char source[65536];
    static float got[IMAGES][SAMPLERS][POINTS];
    cl_mem images[IMAGES];
    cl_int e;
    char *p = source;
    clu_open();
    for (unsigned s = 0; s < SAMPLERS; s++)
        if (samplers[s].bits)
            p += sprintf(
                p,
                "constant sampler_t %s = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_NEAREST | %s;\n",
                samplers[s].name, samplers[s].bits);
    p += sprintf(p, "kernel void pairs(global float *out, sampler_t given");
    for (unsigned i = 0; i < IMAGES; i++)
        p += sprintf(p, ", read_only image2d_t im%u", i);
    p += sprintf(p, ") { float2 at = (float2)(1.25f + (float)get_global_id(0), 0.5f); global float "
                    "*o = out + get_global_id(0);\n");
    for (unsigned i = 0; i < IMAGES; i++)
        for (unsigned s = 0; s < SAMPLERS; s++)
            p += sprintf(p, "o[%u] = read_imagef(im%u, %s, at).x;\n", (i * SAMPLERS + s) * POINTS,
                         i, samplers[s].name);
    sprintf(p, "}\n");
    cl_program program = clu_build(source, "");
    cl_kernel k = clu_kernel(program, "pairs");
    cl_mem out = clu_buffer(sizeof got, NULL);
    cl_sampler given =
        clCreateSampler(clu_context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &e);
    CL(e);
    clu_arg_mem(k, 0, out);
    CL(clSetKernelArg(k, 1, sizeof given, &given));
    for (unsigned i = 0; i < IMAGES; i++) {
        cl_image_format f = {CL_RGBA, CL_FLOAT};
        cl_image_desc d = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1};
        float texels[2][4] = {{(float)(2 * i + 1)}, {(float)(2 * i + 2)}};
        images[i] =
            clCreateImage(clu_context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &f, &d, texels, &e);
        CL(e);
        clu_arg_mem(k, 2 + i, images[i]);
    }
    size_t items = POINTS;
    CL(clEnqueueNDRangeKernel(clu_queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    clu_read(out, sizeof got, got);
    for (unsigned i = 0; i < IMAGES; i++)
        for (unsigned s = 0; s < SAMPLERS; s++)
            for (unsigned n = 0; n < POINTS; n++) {
                int texel = samplers[s].texel[n];
                float want = texel < 0 ? 0 : (float)(2 * i + 1 + (unsigned)texel);
                CHECKF(got[i][s][n] == want, "image %u, %s, point %u: %g for %g", i,
                       samplers[s].name, n, got[i][s][n], want);
            }
    for (unsigned i = 0; i < IMAGES; i++)
        CL(clReleaseMemObject(images[i]));
    CL(clReleaseSampler(given));
    CL(clReleaseMemObject(out));
    CL(clReleaseKernel(k));
    CL(clReleaseProgram(program));
    clu_close();
    return utest_end();
}
