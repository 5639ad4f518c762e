/* SPIR-V -> LLVM module, by Khronos' translator (llvm-spirv) as a process of its own: it is built
 * for another LLVM than ours, and what it does with a module that somebody made up ends there. Its
 * input and output are memory files. The child inherits our limits of time and memory. */
#define _GNU_SOURCE /* memfd_create */
#include "backend/cc.h"
#include "backend/llvmx.h"

#include <errno.h>
#include <fcntl.h>
#include <llvm-c/BitReader.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_OUTPUT = 256 << 20,
    MAX_MESSAGE = 2000 /* bytes of the translator's own words that go to the log */
};

/* As Clang has them for spir and spir64; the translator's lack the native integers. */
static const char *const layouts[] = {
    "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:"
    "16:32:64-G1",
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:"
    "64-G1",
};

/* Only system calls: the child of a fork. */
static _Noreturn void become_translator(char *const argv[], const int fds[3])
{
    struct rlimit output = {MAX_OUTPUT, MAX_OUTPUT};
    char *env[] = {NULL};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_FSIZE, &output);
    for (int i = 0; i < 3; i++) {
        if (dup2(fds[i], i) < 0)
            _exit(127);
    }
    execve(argv[0], argv, env);
    _exit(127);
}

/* A memory file, above the standard descriptors so that none is overwritten on the way there. */
static int memory_file(const char *name)
{
    int low = memfd_create(name, MFD_CLOEXEC), fd;
    if (low < 0 || (fd = fcntl(low, F_DUPFD_CLOEXEC, 3)) < 0)
        bug("no memory file: %s", strerror(errno));
    close(low);
    return fd;
}

static void write_file(int fd, const void *data, size_t size)
{
    const char *p = data;
    while (size) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            bug("writing a module of SPIR-V: %s", strerror(errno));
        p += n;
        size -= (size_t)n;
    }
    if (lseek(fd, 0, SEEK_SET))
        bug("rewinding a module of SPIR-V: %s", strerror(errno));
}

/* At most `most` bytes of it; NUL behind. */
static char *read_file(int fd, size_t most, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st))
        bug("the translator's output: %s", strerror(errno));
    *size = (size_t)st.st_size < most ? (size_t)st.st_size : most;
    char *data = cc_alloc(*size + 1);
    for (size_t got = 0; got < *size;) {
        ssize_t n = pread(fd, data + got, *size - got, (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            bug("reading the translator's output: %s", strerror(errno));
        got += (size_t)n;
    }
    return data;
}

/* Why there is no module: what the translator said, or how it ended. */
static void explain(int status, int messages, struct cc_log *log)
{
    size_t size;
    char *text = read_file(messages, MAX_MESSAGE, &size);

    if (WIFSIGNALED(status))
        cc_error(log, NULL, "the translator of SPIR-V ended with signal %d: a damaged module?",
                 WTERMSIG(status));
    else if (WEXITSTATUS(status) == 127)
        cc_error(log, NULL, "the translator of SPIR-V, llvm-spirv, can't be run");
    else
        cc_error(log, NULL, "this module of SPIR-V can't be translated: %s", text);
}

/* LLVM bitcode, or NULL. */
static char *translate(const struct cc_request *r, bool names, size_t *size, struct cc_log *log)
{
    int fds[3] = {memory_file("spirv"), memory_file("bitcode"), memory_file("messages")}, status;
    char *argv[] = {(char *)r->il_translator,
                    "-r",
                    "--spirv-target-env=CL1.2",
                    "-o",
                    "-", /* not /dev/stdout: LLVM's tools remove what they can't finish */
                    "/dev/stdin",
                    names ? "--spirv-gen-kernel-arg-name-md" : NULL,
                    NULL};
    char *bitcode = NULL;

    write_file(fds[0], r->il, r->il_size);
    pid_t pid = fork();
    if (pid < 0)
        bug("no process for the translator of SPIR-V: %s", strerror(errno));
    if (!pid)
        become_translator(argv, fds);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && !WEXITSTATUS(status))
        bitcode = read_file(fds[1], MAX_OUTPUT, size);
    else
        explain(status, fds[2], log);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    return bitcode;
}

/* What Clang's command line gives to functions compiled from source. */
static void mark_functions(LLVMModuleRef m)
{
    static const char denormal[] = "denormal-fp-math-f32", flush[] = "preserve-sign,preserve-sign";
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(ctx, denormal, sizeof(denormal) - 1, flush, sizeof(flush) - 1);
    for_each_function (f, m) {
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, a);
    }
}

/* Where the module allows contraction, products and sums may become one: the translator tells it by
 * a name in the metadata, Clang by flags. */
static void allow_contraction(LLVMModuleRef m)
{
    static const char name[] = "opencl.enable.FP_CONTRACT";
    if (!LLVMGetNamedMetadata(m, name, sizeof(name) - 1))
        return;
    for_each_function (f, m) {
        for_each_block (b, f) {
            for_each_insn (i, b) {
                LLVMOpcode op = LLVMGetInstructionOpcode(i);
                if (op == LLVMFMul || op == LLVMFAdd || op == LLVMFSub)
                    LLVMSetFastMathFlags(i, LLVMGetFastMathFlags(i) | LLVMFastMathAllowContract);
            }
        }
    }
}

LLVMModuleRef spirv_read(LLVMContextRef ctx, const struct cc_request *r, bool names,
                         unsigned pointer_bits, struct cc_log *log)
{
    LLVMModuleRef m;
    size_t size;

    if (!r->il_translator) {
        cc_error(log, NULL, "there is no translator of SPIR-V");
        return NULL;
    }
    char *bitcode = translate(r, names, &size, log);
    if (!bitcode)
        return NULL;
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "spirv");
    if (LLVMParseBitcodeInContext2(ctx, bytes, &m)) {
        cc_error(log, NULL, "this module of SPIR-V can't be translated: no bitcode came out");
        return NULL;
    }
    bool is_64 = !strncmp(LLVMGetTarget(m), "spir64", 6);
    if (is_64 != (pointer_bits == 64)) {
        cc_error(log, NULL,
                 "this module of SPIR-V has addresses of %u bits, the device has addresses of %u",
                 is_64 ? 64 : 32, pointer_bits);
        return NULL;
    }
    LLVMSetDataLayout(m, layouts[is_64]);
    mark_functions(m);
    allow_contraction(m);
    return spirv_restore_types(m, log) ? m : NULL;
}
