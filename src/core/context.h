/* A context: its devices, and the one lock of the graph of its events and commands. */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "src/core/list.h"
#include "src/core/object.h"
#include "src/core/types.h"

#include <pthread.h>

struct _cl_context {
    struct object base;
    cl_device_id *devices; /* owned array of borrowed devices (they live for ever) */
    cl_uint n_devices;
    cl_context_properties *properties; /* owned; as given, with the final 0 */
    size_t n_properties;
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_data;
    pthread_mutex_t graph;      /* all edges, states of events, queues' pending commands */
    pthread_cond_t changed;     /* an event has finished */
    pthread_mutex_t lock;       /* destructors, builtins, svm */
    struct list destructors;    /* lock; owned */
    struct builtins **builtins; /* lock; owned; one a device, NULL until needed */
    cl_mem *svm;                /* lock; owned array, by address; the application's allocations */
    size_t n_svm, svm_capacity; /* lock */
};

/* Properties may be NULL. The device list holds no duplicates. */
cl_int context_create(const cl_context_properties *properties, size_t n_properties,
                      cl_uint n_devices, const cl_device_id *devices,
                      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                      void *data, cl_context *out);
bool context_has_device(cl_context ctx, cl_device_id dev);
/* Position of the device in the context. */
unsigned context_device_index(cl_context ctx, cl_device_id dev);
cl_int context_add_destructor(cl_context ctx, void(CL_CALLBACK *fn)(cl_context, void *),
                              void *data);
/* Tells the application's notify function about an error, from the callback thread. */
void context_report(cl_context ctx, const char *text);

#endif
