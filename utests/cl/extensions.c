/* The extensions that the device reports answer as their texts say. */
#include "clu.h"
#include <CL/cl_ext.h>

typedef cl_command_queue create_fn(cl_context, cl_device_id, const cl_queue_properties_khr *,
                                   cl_int *);

/* Queues with hints work, and tell what they were given; other values than the three are refused.
 */
static void test_hints(const char *names)
{
    static const struct {
        const char *extension;
        cl_queue_properties_khr property;
    } hints[] = {{"cl_khr_priority_hints", CL_QUEUE_PRIORITY_KHR},
                 {"cl_khr_throttle_hints", CL_QUEUE_THROTTLE_KHR}};
    create_fn *create = (create_fn *)clGetExtensionFunctionAddressForPlatform(
        clu_platform, "clCreateCommandQueueWithProperties");
    REQUIRE(create);
    for (unsigned h = 0; h < 2; h++) {
        REQUIRE(strstr(names, hints[h].extension));
        for (cl_queue_properties_khr v = 0; v <= 8; v++) {
            cl_queue_properties_khr list[] = {hints[h].property, v, CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_PROFILING_ENABLE, 0},
                                    got[8];
            cl_int e;
            size_t size;
            cl_command_queue q = create(clu_context, clu_device, list, &e);
            if (v != 1 && v != 2 && v != 4) {
                CHECK(!q && e == CL_INVALID_VALUE);
                continue;
            }
            CL(e);
            CL(clGetCommandQueueInfo(q, 0x1098 /* CL_QUEUE_PROPERTIES_ARRAY */, sizeof got, got,
                                     &size));
            CHECK(size == sizeof list && !memcmp(got, list, sizeof list));
            cl_uint word = 5, back = 0;
            cl_mem m = clu_buffer(4, NULL);
            CL(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &word, 0, NULL, NULL));
            CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
            CHECK(back == 5);
            CL(clReleaseMemObject(m));
            CL(clReleaseCommandQueue(q));
        }
        cl_int e;
        cl_queue_properties_khr twice[] = {hints[h].property, 1, hints[h].property, 1, 0};
        CHECK(!create(clu_context, clu_device, twice, &e) && e == CL_INVALID_VALUE);
    }
}

/* What the parts are, from Intel's public tables; of Gen8 and 9 also what Intel's driver says. */
static void test_attributes(const char *names)
{
    static const struct {
        cl_uint id, ip, slices, subslices, eus, threads;
    } parts[] = {{0x0166, 0x70000, 1, 2, 8, 8},
                 {0x0412, 0x70500, 1, 2, 10, 7},
                 {0x1616, 0x80000, 1, 3, 8, 7},
                 {0x1912, 0x90000, 1, 3, 8, 7}};
    REQUIRE(strstr(names, "cl_intel_device_attribute_query"));
    cl_uint v[6];
    cl_ulong features;
    for (unsigned i = 0; i < 6; i++)
        CL(clGetDeviceInfo(clu_device, CL_DEVICE_IP_VERSION_INTEL + i, 4, &v[i], NULL));
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL, 8, &features, NULL));
    CHECK(features == 0); /* no dp4a, no dpas before Gen12 */
    bool known = false;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].id != v[1])
            continue;
        known = true;
        CHECK(v[0] == parts[i].ip && v[2] == parts[i].slices && v[3] == parts[i].subslices &&
              v[4] == parts[i].eus && v[5] == parts[i].threads);
    }
    CHECKF(known, "part %04x", v[1]);
}

int main(void)
{
    clu_open();
    static char names[4096];
    cl_int e;
    CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS, sizeof(names), names, NULL));
    if (strstr(names, "cl_khr_pci_bus_info")) {
        cl_device_pci_bus_info_khr pci;
        CL(clGetDeviceInfo(clu_device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(pci), &pci, NULL));
        CHECK(pci.pci_domain == 0 && pci.pci_bus == 0 && pci.pci_device == 2 &&
              pci.pci_function == 0);
    }
    if (strstr(names, "cl_khr_extended_versioning")) {
        cl_version_khr version;
        cl_name_version_khr list[64];
        size_t size;
        CL(clGetDeviceInfo(clu_device, CL_DEVICE_NUMERIC_VERSION_KHR, sizeof(version), &version,
                           NULL));
        unsigned major, minor;
        char text[128];
        CL(clGetDeviceInfo(clu_device, CL_DEVICE_VERSION, sizeof(text), text, NULL));
        REQUIRE(sscanf(text, "OpenCL %u.%u ", &major, &minor) == 2);
        CHECK(CL_VERSION_MAJOR_KHR(version) == major && CL_VERSION_MINOR_KHR(version) == minor);
        CL(clGetDeviceInfo(clu_device, CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR, sizeof(list), list,
                           &size));
        size_t n = 0; /* as many as words in the string, each of them there */
        for (const char *p = names; *p; p++)
            n += *p != ' ' && (p[1] == ' ' || !p[1]);
        CHECKF(size == n * sizeof(list[0]), "%zu bytes, %zu names", size, n);
        for (size_t i = 0; i < size / sizeof(list[0]); i++)
            CHECKF(strstr(names, list[i].name), "%s", list[i].name);
    }
    if (strstr(names, "cl_khr_create_command_queue")) {
        clCreateCommandQueueWithPropertiesKHR_fn create =
            (clCreateCommandQueueWithPropertiesKHR_fn)clGetExtensionFunctionAddressForPlatform(
                clu_platform, "clCreateCommandQueueWithPropertiesKHR");
        REQUIRE(create);
        cl_queue_properties_khr good[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
        cl_queue_properties_khr bad[] = {0x7777, 1, 0};
        cl_command_queue q = create(clu_context, clu_device, good, &e);
        CL(e);
        cl_command_queue_properties set;
        CL(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof(set), &set, NULL));
        CHECK(set == CL_QUEUE_PROFILING_ENABLE);
        CL(clReleaseCommandQueue(q));
        CHECK(!create(clu_context, clu_device, bad, &e) && e == CL_INVALID_VALUE);
    }
    test_hints(names);
    test_attributes(names);
    clu_close();
    return utest_end();
}
