/* What the commonest calls cost in system calls on the application's thread, counted exactly: none,
 * but to wake the driver's thread for a GPU that has nothing to do, and one execbuffer a batch.
 * Syscall user dispatch sends each to a handler here, which counts it and then makes it. What the
 * kernel's driver does, or the simulator in its place, is left out: the program sees its own
 * ioctls (it is linked so that its ioctl() comes before libc's and gensim's), and by holding back
 * the wait for a batch it keeps the GPU busy for as long as it likes.
 */
#include "clu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { ALLOW, BLOCK };

static _Thread_local volatile char selector =
    ALLOW;                                   /* of the counting thread: what the kernel reads */
static volatile unsigned n_calls, last_call; /* of that thread */

/* ---- counting ---- */

/* Returns from the handler: the one system call that is never sent there. */
__asm__(".text\n.globl come_back\n.type come_back, @function\n"
        "come_back:\n mov $15, %eax\n syscall\n.globl come_back_end\ncome_back_end:\n nop\n");
void come_back(void);
extern const char come_back_end[];

static long make(greg_t *r)
{
    register long r10 __asm__("r10") = r[REG_R10], r8 __asm__("r8") = r[REG_R8],
                      r9 __asm__("r9") = r[REG_R9];
    long result = r[REG_RAX];
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(r[REG_RDI]), "S"(r[REG_RSI]), "d"(r[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void on_call(int sig, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    selector = ALLOW;
    n_calls++;
    last_call = info->si_syscall;
    r[REG_RAX] = info->si_syscall;
    r[REG_RAX] = make(r);
    selector = BLOCK;
}

static bool can_count(void)
{
    struct {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {on_call, SA_SIGINFO | SA_NODEFER | 0x04000000 /* restorer */, come_back, 0};
    return !syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask) &&
           !prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, come_back, come_back_end + 1 - (char *)come_back,
                  &selector);
}

static void count(void)
{
    n_calls = 0;
    selector = BLOCK;
}

static unsigned counted(void)
{
    selector = ALLOW;
    return n_calls;
}

/* ---- the kernel's driver ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool hold, waits;     /* lock */
static unsigned submissions; /* lock */

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
    static int (*next)(int, unsigned long, void *);
    enum { EXECBUFFER2 = 0x40406469, EXECBUFFER2_WR = 0xc0406469, WAIT = 0xc010646c };
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    char before = selector;
    selector = ALLOW;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    pthread_mutex_lock(&lock);
    uint32_t r = (uint32_t)request;
    submissions += r == EXECBUFFER2 || r == (uint32_t)EXECBUFFER2_WR;
    while (r == (uint32_t)WAIT && hold) {
        waits = true;
        pthread_cond_broadcast(&changed);
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    int result = next(fd, request, arg);
    selector = before;
    return result;
}

static void set_hold(bool on)
{
    pthread_mutex_lock(&lock);
    hold = on;
    waits = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Until the driver's thread waits for a batch. */
static void until_waits(void)
{
    pthread_mutex_lock(&lock);
    while (!waits)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* Until all other threads sleep: they hold no lock, the allocator's included, that this one might
 * have to wait for. */
static void settle(void)
{
    for (unsigned quiet = 0; quiet < 3; usleep(1000)) {
        struct dirent *e;
        DIR *d = opendir("/proc/self/task");
        REQUIRE(d);
        quiet++;
        while ((e = readdir(d))) {
            char path[300], state = 'S';
            snprintf(path, sizeof path, "/proc/self/task/%s/stat", e->d_name);
            FILE *f = atoi(e->d_name) && atoi(e->d_name) != getpid() ? fopen(path, "r") : NULL;
            if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 && state != 'S')
                quiet = 0;
            if (f)
                fclose(f);
        }
        closedir(d);
    }
}

/* ---- the cases ---- */

#define FREE(what, n)                                                                              \
    do {                                                                                           \
        count();                                                                                   \
        for (unsigned i_ = 0; i_ < (n); i_++) {                                                    \
            what;                                                                                  \
        }                                                                                          \
        unsigned calls_ = counted();                                                               \
        CHECKF(calls_ == 0, "%s: %u system calls, the last %u", #what, calls_, last_call);         \
    } while (0)

static cl_kernel kernel;
static cl_mem buffer;

static void enqueue(void)
{
    size_t n = 64;
    CL(clEnqueueNDRangeKernel(clu_queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
}

/* The first starts at once, the 16 that gather make a second batch, the others wait for it. */
static void batches(bool warm)
{
    enum { N = 100 };
    set_hold(true);
    unsigned before = submissions;
    settle();
    count();
    enqueue();
    unsigned wakes = counted();
    until_waits();
    settle();
    count();
    for (unsigned i = 0; i < N; i++) {
        enqueue();
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    }
    unsigned calls = counted();
    if (warm) {
        CHECKF(wakes == 1, "%u system calls to start, the last %u", wakes, last_call);
        CHECKF(calls == 0, "%u system calls for %u enqueues, the last %u", calls, N, last_call);
    }
    CHECKF(submissions - before == 2, "%u batches", submissions - before);
    CL(clFlush(clu_queue));
    CHECKF(submissions - before == 3, "%u batches, flushed", submissions - before);
    set_hold(false);
    CL(clFinish(clu_queue));
    CHECKF(submissions - before == 3, "%u batches in all", submissions - before);
}

/* Behind the application's own event: nothing is done before it ends. */
static void gated(void)
{
    cl_int e;
    cl_event gate = clCreateUserEvent(clu_context, &e), marker;
    CL(e);
    CL(clEnqueueBarrierWithWaitList(clu_queue, 1, &gate, NULL));
    settle();
    unsigned before = submissions;
    FREE(enqueue(), 50);
    FREE(CL(clEnqueueMarkerWithWaitList(clu_queue, 0, NULL, &marker));
         CL(clReleaseEvent(marker)), 50);
    CHECK(submissions == before);
    CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CL(clReleaseEvent(gate));
    CL(clFinish(clu_queue));
    CHECKF(submissions - before == 1, "%u batches", submissions - before);
}

static void small_calls(void)
{
    static char bytes[4096];
    cl_int e;
    cl_event ev;
    void *p;
    settle();
    FREE(CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer)), 1000);
    FREE(CL(clFinish(clu_queue)); CL(clFlush(clu_queue)), 1000);
    FREE(CL(clReleaseMemObject(clCreateBuffer(clu_context, 0, 4096, NULL, &e))), 1000);
    FREE(CL(clEnqueueWriteBuffer(clu_queue, buffer, 1, 0, 64, bytes, 0, NULL, NULL)), 1000);
    FREE(CL(clEnqueueReadBuffer(clu_queue, buffer, 1, 0, 4096, bytes, 0, NULL, NULL)), 1000);
    FREE(CL(clEnqueueWriteBuffer(clu_queue, buffer, 0, 0, 64, bytes, 0, NULL, NULL)), 1000);
    FREE(p = clEnqueueMapBuffer(clu_queue, buffer, 1, CL_MAP_READ, 0, 4096, 0, NULL, NULL, &e);
         CL(e); CL(clEnqueueUnmapMemObject(clu_queue, buffer, p, 0, NULL, NULL)), 1000);
    FREE(CL(clEnqueueMarkerWithWaitList(clu_queue, 0, NULL, &ev)); CL(clWaitForEvents(1, &ev));
         CL(clReleaseEvent(ev)), 1000);
    FREE(ev = clCreateUserEvent(clu_context, &e); CL(clSetUserEventStatus(ev, CL_COMPLETE));
         CL(clReleaseEvent(ev)), 1000);
}

int main(void)
{
    cl_int e;
    clu_open();
    /* the allocator keeps what it has: when it asks for more or gives back is not the subject */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
    cl_program p = clu_build("kernel void touch(global uint *p) { p[get_global_id(0)]++; }", "");
    kernel = clCreateKernel(p, "touch", &e);
    CL(e);
    buffer = clCreateBuffer(clu_context, 0, 4096, NULL, &e);
    CL(e);
    CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    REQUIRE(can_count());
    count();
    getppid();
    unsigned n = counted(); /* it can tell */
    CHECKF(n == 1 && last_call == SYS_getppid, "%u, %u", n, last_call);
    for (unsigned round = 0; round < 8; round++)
        batches(round >= 4);
    gated();
    small_calls();
    CL(clReleaseMemObject(buffer));
    CL(clReleaseKernel(kernel));
    CL(clReleaseProgram(p));
    clu_close();
    return utest_end();
}
