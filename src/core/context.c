/* See context.h. */
#include "src/core/context.h"

#include "src/core/builtin.h"
#include "src/core/sched.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct destructor {
    struct list link; /* in ctx->destructors */
    void(CL_CALLBACK *fn)(cl_context, void *);
    void *data;
};

cl_int context_create(const cl_context_properties *properties, size_t n_properties,
                      cl_uint n_devices, const cl_device_id *devices,
                      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                      void *data, cl_context *out)
{
    cl_context ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return CL_OUT_OF_HOST_MEMORY;
    ctx->devices = calloc(n_devices, sizeof *devices);
    ctx->builtins = calloc(n_devices, sizeof *ctx->builtins);
    if (n_properties)
        ctx->properties = calloc(n_properties, sizeof *properties);
    if (!ctx->devices || !ctx->builtins || (n_properties && !ctx->properties)) {
        free(ctx->devices);
        free(ctx->builtins);
        free(ctx->properties);
        free(ctx);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(ctx->devices, devices, n_devices * sizeof *devices);
    if (n_properties)
        memcpy(ctx->properties, properties, n_properties * sizeof *properties);
    ctx->n_devices = n_devices;
    ctx->n_properties = n_properties;
    ctx->notify = notify;
    ctx->notify_data = data;
    pthread_mutex_init(&ctx->graph, NULL);
    pthread_cond_init(&ctx->changed, NULL);
    pthread_mutex_init(&ctx->lock, NULL);
    list_init(&ctx->destructors);
    object_init(&ctx->base, OBJECT_CONTEXT);
    *out = ctx;
    return CL_SUCCESS;
}

void context_destroy(struct object *o)
{
    cl_context ctx = container_of(o, struct _cl_context, base);
    while (!list_empty(&ctx->destructors)) { /* the last registered first */
        struct destructor *d = container_of(ctx->destructors.prev, struct destructor, link);
        list_remove(&d->link);
        d->fn(ctx, d->data);
        free(d);
    }
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        builtins_free(ctx->builtins[i]);
    free(ctx->builtins);
    pthread_mutex_destroy(&ctx->lock);
    pthread_cond_destroy(&ctx->changed);
    pthread_mutex_destroy(&ctx->graph);
    free(ctx->svm); /* empty: its allocations hold the context */
    free(ctx->properties);
    free(ctx->devices);
    free(ctx);
}

bool context_has_device(cl_context ctx, cl_device_id dev)
{
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        if (ctx->devices[i] == dev)
            return true;
    return false;
}

unsigned context_device_index(cl_context ctx, cl_device_id dev)
{
    for (cl_uint i = 0; i < ctx->n_devices; i++)
        if (ctx->devices[i] == dev)
            return i;
    assert(!"a device of the context");
    return 0;
}

cl_int context_add_destructor(cl_context ctx, void(CL_CALLBACK *fn)(cl_context, void *), void *data)
{
    struct destructor *d = calloc(1, sizeof *d);
    if (!d)
        return CL_OUT_OF_HOST_MEMORY;
    d->fn = fn;
    d->data = data;
    pthread_mutex_lock(&ctx->lock);
    list_append(&ctx->destructors, &d->link);
    pthread_mutex_unlock(&ctx->lock);
    return CL_SUCCESS;
}

struct report {
    struct deferred deferred;
    cl_context ctx; /* owned */
    char text[768];
};

static void report_run(struct deferred *d)
{
    struct report *r = container_of(d, struct report, deferred);
    r->ctx->notify(r->text, NULL, 0, r->ctx->notify_data);
    object_release(&r->ctx->base);
    free(r);
}

void context_report(cl_context ctx, const char *text)
{
    if (!ctx->notify)
        return;
    struct report *r = calloc(1, sizeof *r);
    if (!r)
        return;
    r->deferred.run = report_run;
    object_retain(&ctx->base);
    r->ctx = ctx;
    snprintf(r->text, sizeof r->text, "%s", text);
    callback_thread_push(&r->deferred);
}
