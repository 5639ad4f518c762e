/* Mesa's OpenGL driver (crocus for Gen7, iris for Gen8 and 9), unmodified, on the simulated device:
 * compute shaders of OpenGL ES 3.1 without a window. Another compiler's front end and other batches
 * than Vulkan's. Results are computed here. Skipped where the driver is not installed. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <stdint.h>
#include <unistd.h>

#include "utest.h"

enum { WORDS = 4096, EDGE = 64 };

static uint32_t in[WORDS], want[WORDS];
static GLuint buffers[2];

static const char copy_text[] = /* groups of 20, a partial last thread */
    "layout(local_size_x = 20) in;\n"
    "void main() { b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x] * 5u + 1u; }\n";

static void want_copy(void)
{
    for (uint32_t i = 0; i < 204 * 20; i++)
        want[i] = in[i] * 5 + 1;
}

static const char shared_text[] = /* sum of each group by a tree */
    "layout(local_size_x = 256) in;\n"
    "shared uint s[256];\n"
    "void main() {\n"
    "    uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;\n"
    "    s[l] = a[i];\n"
    "    for (uint n = 128u; n > 0u; n /= 2u) {\n"
    "        memoryBarrierShared();\n"
    "        barrier();\n"
    "        if (l < n)\n"
    "            s[l] += s[l + n];\n"
    "    }\n"
    "    memoryBarrierShared();\n"
    "    barrier();\n"
    "    b[i] = s[0] ^ a[i];\n"
    "}\n";

static void want_shared(void)
{
    for (uint32_t g = 0; g < WORDS; g += 256) {
        uint32_t sum = 0;
        for (uint32_t l = 0; l < 256; l++)
            sum += in[g + l];
        for (uint32_t l = 0; l < 256; l++)
            want[g + l] = sum ^ in[g + l];
    }
}

static const char loop_text[] = /* lanes leave at different times */
    "layout(local_size_x = 64) in;\n"
    "void main() {\n"
    "    uint i = gl_GlobalInvocationID.x, n = a[i] % 1000u, steps = 0u;\n"
    "    if (n % 17u == 3u) {\n"
    "        b[i] = 7u;\n"
    "        return;\n"
    "    }\n"
    "    while (n > 1u) {\n"
    "        n = (n & 1u) != 0u ? 3u * n + 1u : n / 2u;\n"
    "        if (++steps > 100u)\n"
    "            break;\n"
    "    }\n"
    "    b[i] = steps + 1000u * n;\n"
    "}\n";

static void want_loop(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t n = in[i] % 1000, steps = 0;
        if (n % 17 == 3) {
            want[i] = 7;
            continue;
        }
        while (n > 1) {
            n = n & 1 ? 3 * n + 1 : n / 2;
            if (++steps > 100)
                break;
        }
        want[i] = steps + 1000 * n;
    }
}

static const char store_text[] = /* into a tiled image ... */
    "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(binding = 0, r32ui) writeonly uniform highp uimage2D image;\n"
    "void main() {\n"
    "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
    "    imageStore(image, at, uvec4(a[at.y * 64 + at.x] + 3u));\n"
    "}\n";

static const char load_text[] = /* ... and out of it, transposed */
    "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(binding = 0, r32ui) readonly uniform highp uimage2D image;\n"
    "void main() {\n"
    "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
    "    b[at.y * 64 + at.x] = imageLoad(image, at.yx).x;\n"
    "}\n";

static void want_nothing(void) {}

static void want_transposed(void)
{
    for (uint32_t i = 0; i < WORDS; i++)
        want[i] = in[i % EDGE * EDGE + i / EDGE] + 3;
}

static const struct test {
    const char *name, *text;
    void (*want)(void);
    GLuint groups[3];
    bool indirect;
} tests[] = {
    {"copy", copy_text, want_copy, {204, 1, 1}, false},
    {"copy, indirect", copy_text, want_copy, {204, 1, 1}, true},
    {"shared", shared_text, want_shared, {16, 1, 1}, false},
    {"loop", loop_text, want_loop, {64, 1, 1}, false},
    {"store", store_text, want_nothing, {8, 8, 1}, false},
    {"load", load_text, want_transposed, {8, 8, 1}, false},
};

static bool make_context(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    if (!get_display)
        return false;
    EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
        return false;
    const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE,
                                        0, EGL_NONE};
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1,
                                 EGL_NONE};
    EGLConfig config = NULL;
    EGLint n = 0;
    REQUIRE(eglBindAPI(EGL_OPENGL_ES_API));
    eglChooseConfig(display, config_attributes, &config, 1, &n);
    EGLContext context = eglCreateContext(display, n ? config : NULL, EGL_NO_CONTEXT, attributes);
    REQUIRE(context != EGL_NO_CONTEXT);
    REQUIRE(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    return true;
}

static GLuint make_program(const char *text)
{
    static const char head[] = "#version 310 es\n"
                               "layout(std430, binding = 0) buffer A { uint a[]; };\n"
                               "layout(std430, binding = 1) buffer B { uint b[]; };\n";
    const char *parts[2] = {head, text};
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 2, parts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[2048];
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fprintf(stderr, "%s\n", log);
    }
    REQUIRE(ok);
    return program;
}

/* By mapping: an upload may be a 3D draw. */
static void fill(GLuint buffer, const void *data)
{
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    void *p = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof in, GL_MAP_WRITE_BIT);
    REQUIRE(p);
    if (data)
        memcpy(p, data, sizeof in);
    else
        memset(p, 0, sizeof in);
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
}

static void run(const struct test *t)
{
    GLuint program = make_program(t->text), counts;
    fill(buffers[0], in);
    fill(buffers[1], NULL);
    memset(want, 0, sizeof want);
    t->want();
    glUseProgram(program);
    if (t->indirect) {
        glGenBuffers(1, &counts);
        glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, counts);
        glBufferData(GL_DISPATCH_INDIRECT_BUFFER, sizeof t->groups, NULL, GL_DYNAMIC_DRAW);
        void *p =
            glMapBufferRange(GL_DISPATCH_INDIRECT_BUFFER, 0, sizeof t->groups, GL_MAP_WRITE_BIT);
        REQUIRE(p);
        memcpy(p, t->groups, sizeof t->groups);
        glUnmapBuffer(GL_DISPATCH_INDIRECT_BUFFER);
        glDispatchComputeIndirect(0);
    } else {
        glDispatchCompute(t->groups[0], t->groups[1], t->groups[2]);
    }
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[1]);
    const uint32_t *got = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof in, GL_MAP_READ_BIT);
    REQUIRE(got);
    unsigned wrong = 0, first = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        if (got[i] != want[i] && !wrong++)
            first = i;
    }
    CHECKF(!wrong, "%s: %u words wrong, the first is %u: 0x%x, not 0x%x", t->name, wrong, first,
           got[first], want[first]);
    CHECKF(glGetError() == GL_NO_ERROR, "%s", t->name);
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    glDeleteProgram(program);
}

int main(void)
{
    if (!make_context())
        SKIP("Mesa's EGL (libegl-mesa0) is not installed");
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    fprintf(stderr, "renderer: %s\n", renderer);
    /* Without the driver EGL falls back to software, which would be right without the simulator. */
    if (strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe"))
        SKIP("Mesa's OpenGL driver (libgl1-mesa-dri) is not installed");
    REQUIRE(strstr(renderer, "Intel"));
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u;
    glGenBuffers(2, buffers);
    for (GLuint i = 0; i < 2; i++) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers[i]);
        glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof in, NULL, GL_DYNAMIC_DRAW);
    }
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, EDGE, EDGE);
    glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        run(&tests[i]);
    return utest_end();
}
