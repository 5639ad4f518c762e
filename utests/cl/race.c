/* A kernel with a race, built with -g: `gensim --check` names it, with its line (tests.cmake looks
 * for that). */
#include "clu.h"

int main(void)
{
    static const char *const source = "kernel void racy(global int *p)\n"
                                      "{\n"
                                      "    int i = get_global_id(0);\n"
                                      "    p[i / 40] =\n"
                                      "        i;\n"
                                      "}\n";
    clu_open();
    cl_program program = clu_build(source, "-g");
    cl_kernel kernel = clu_kernel(program, "racy");
    cl_mem buffer = clu_buffer(4096, NULL);
    clu_arg_mem(kernel, 0, buffer);
    clu_run(kernel, 64, 16);
    CL(clFinish(clu_queue));
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clu_close();
    return utest_end();
}
