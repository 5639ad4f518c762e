/* See budget.h. */
#include "src/core/budget.h"

#include "src/core/debug.h"
#include "src/core/device.h"
#include "src/core/sched.h"
#include "src/gpu/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AHEAD_PART = 8 /* of the limit: memory that only unfinished commands keep */ };
static const uint64_t ahead_max = UINT64_C(256) << 20; /* or so much */
enum { PAGE = 4096, CHECK_STEP = 16 << 20 /* bytes between two looks at the system's memory */ };

uint64_t budget_parse(const char *text)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return 0;
    uint64_t v = strtoull(text, &end, 10);
    static const char suffixes[] = "kmgt";
    const char *s = *end ? strchr(suffixes, *end | 0x20) : NULL;
    if (s) {
        for (const char *p = suffixes; p <= s; p++) {
            if (v > UINT64_MAX / 1024)
                return 0;
            v *= 1024;
        }
        end++;
    }
    return *end ? 0 : v;
}

/* First number in a file; UINT64_MAX where there is none ("max" says no limit). */
static uint64_t read_number(const char *path)
{
    uint64_t v = UINT64_MAX;
    FILE *f = fopen(path, "re");
    if (!f)
        return v;
    if (fscanf(f, "%" SCNu64, &v) != 1)
        v = UINT64_MAX;
    fclose(f);
    return v;
}

static uint64_t meminfo(const char *root, const char *key)
{
    char path[512], line[128];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *f = fopen(path, "re");
    if (!f)
        return UINT64_MAX;
    uint64_t kb = UINT64_MAX;
    size_t len = strlen(key);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, key, len) && line[len] == ':' &&
            sscanf(line + len + 1, "%" SCNu64, &kb) == 1)
            break;
    fclose(f);
    return kb == UINT64_MAX ? kb : kb * 1024;
}

/* Goes through this process's control group and those above it; sees version 2 and the memory
 * controller of version 1. `room`: limit minus usage instead of limit. */
static uint64_t cgroup_least(const char *root, bool room)
{
    char path[512], line[512];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    if (!f)
        return least;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        bool v2 = !*controllers;
        if (!v2 && !strstr(controllers, "memory"))
            continue;
        for (;;) {
            char *slash = strrchr(group, '/');
            const char *top = v2 ? "" : "/memory";
            snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%s/%s", root, top,
                     slash == group && !slash[1] ? "" : group,
                     v2 ? "memory.max" : "memory.limit_in_bytes");
            uint64_t limit = read_number(path);
            if (limit < UINT64_C(1) << 60 && room) {
                snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%s/%s", root, top,
                         slash == group && !slash[1] ? "" : group,
                         v2 ? "memory.current" : "memory.usage_in_bytes");
                uint64_t used = read_number(path);
                limit = used >= limit ? 0 : limit - used;
            }
            if (limit < UINT64_C(1) << 60 && limit < least)
                least = limit;
            if (!slash || !group[1])
                break;
            slash[slash == group] = 0;
        }
    }
    fclose(f);
    return least;
}

uint64_t budget_system_limit(const char *root, const char *override)
{
    uint64_t total = meminfo(root, "MemTotal");
    uint64_t limit = total == UINT64_MAX ? UINT64_C(1) << 30 : total / 4 * 3;
    uint64_t group = cgroup_least(root, false);
    if (group != UINT64_MAX && group / 4 * 3 < limit)
        limit = group / 4 * 3;
    uint64_t given = budget_parse(override);
    if (given && given < limit)
        limit = given;
    return limit & ~(uint64_t)(PAGE - 1);
}

uint64_t budget_system_room(const char *root)
{
    uint64_t room = meminfo(root, "MemAvailable");
    uint64_t total = meminfo(root, "MemTotal");
    if (room == UINT64_MAX || total == UINT64_MAX)
        return UINT64_MAX;
    uint64_t reserve = total / 16;
    room = room > reserve ? room - reserve : 0;
    uint64_t group = cgroup_least(root, true);
    if (group != UINT64_MAX) {
        group -= group / 8; /* a process needs other memory than ours */
        if (group < room)
            room = group;
    }
    return room;
}

void budget_init(struct budget *b, uint64_t aperture, uint64_t largest)
{
    *b = (struct budget){0};
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->room, NULL);
    b->limit = budget_system_limit("", debug_variable(VARIABLE_memory_limit));
    if (aperture && aperture / 8 * 7 < b->limit)
        b->limit = (aperture / 8 * 7) & ~(uint64_t)(PAGE - 1);
    b->max_alloc = (b->limit / 2) & ~(uint64_t)(PAGE - 1);
    if (largest && b->max_alloc > largest)
        b->max_alloc = largest & ~(uint64_t)(PAGE - 1);
    if (b->max_alloc < PAGE)
        b->max_alloc = PAGE;
}

void budget_enter(cl_device_id dev)
{
    struct budget *b = &dev->budget;
    pthread_mutex_lock(&b->lock);
    if (b->n_active >= BUDGET_MAX_ACTIVE && !sched_on_completion_thread()) {
        pthread_mutex_unlock(&b->lock);
        sched_flush(dev);
        pthread_mutex_lock(&b->lock);
        b->n_waiting++;
        while (b->n_active > BUDGET_MAX_ACTIVE / 4 * 3) /* not one by one */
            pthread_cond_wait(&b->room, &b->lock);
        b->n_waiting--;
    }
    b->n_active++;
    pthread_mutex_unlock(&b->lock);
}

bool budget_gate(struct budget *b)
{
    pthread_mutex_lock(&b->lock);
    b->n_active--;
    bool room = b->n_gated < BUDGET_MAX_GATED;
    if (room)
        b->n_gated++;
    if (b->n_waiting) /* for one that would have ended by itself */
        pthread_cond_broadcast(&b->room);
    pthread_mutex_unlock(&b->lock);
    return room;
}

void budget_ungate(struct budget *b)
{
    pthread_mutex_lock(&b->lock);
    b->n_gated--;
    b->n_active++;
    pthread_mutex_unlock(&b->lock);
}

void budget_leave(struct budget *b, bool gated)
{
    pthread_mutex_lock(&b->lock);
    if (gated)
        b->n_gated--;
    else
        b->n_active--;
    b->n_ended++;
    if (b->n_waiting)
        pthread_cond_broadcast(&b->room);
    pthread_mutex_unlock(&b->lock);
}

/* Waits until a command ends. False: none can end by itself. */
static bool wait_for_end(cl_device_id dev)
{
    struct budget *b = &dev->budget;
    if (sched_on_completion_thread())
        return false;
    sched_flush(dev);
    pthread_mutex_lock(&b->lock);
    bool can = b->n_active > 0;
    cl_ulong ended = b->n_ended;
    b->n_waiting++;
    while (can && b->n_active > 0 && b->n_ended == ended)
        pthread_cond_wait(&b->room, &b->lock);
    b->n_waiting--;
    pthread_mutex_unlock(&b->lock);
    return can;
}

void budget_forget(struct budget *b, uint64_t size, bool forgotten)
{
    pthread_mutex_lock(&b->lock);
    b->forgotten += forgotten ? size : -size;
    pthread_mutex_unlock(&b->lock);
}

/* Whether commands hold so much memory for themselves that the next should wait. */
static bool runs_ahead(struct budget *b)
{
    uint64_t max = b->limit / AHEAD_PART < ahead_max ? b->limit / AHEAD_PART : ahead_max;
    pthread_mutex_lock(&b->lock);
    bool ahead = b->forgotten > max;
    pthread_mutex_unlock(&b->lock);
    return ahead;
}

bool budget_bytes(cl_device_id dev, uint64_t size)
{
    struct budget *b = &dev->budget;
    if (size > b->limit)
        return false;
    while (runs_ahead(b) && wait_for_end(dev))
        ;
    for (unsigned attempt = 0;;) {
        uint64_t live = gpu_bytes_live(dev->gpu);
        bool fits = live <= b->limit && size <= b->limit - live;
        if (fits) {
            pthread_mutex_lock(&b->lock);
            b->since_check += size;
            bool check = b->since_check >= CHECK_STEP;
            if (check)
                b->since_check = 0;
            pthread_mutex_unlock(&b->lock);
            if (!check || size <= budget_system_room(""))
                return true;
        }
        debug_log(DEBUG_memory,
                  "%" PRIu64 " bytes more than %" PRIu64 " live do not fit, limit %" PRIu64, size,
                  live, b->limit);
        if (!budget_retry(dev, &attempt))
            return false;
    }
}

bool budget_retry(cl_device_id dev, unsigned *attempt)
{
    if ((*attempt)++ == 0 && gpu_bytes_cached(dev->gpu) > 0) {
        gpu_trim(dev->gpu, true);
        return true;
    }
    if (!wait_for_end(dev))
        return false;
    gpu_trim(dev->gpu, true);
    return true;
}
