/* The extensions that the device reports answer as their texts say. */
#include "clu.h"
#include <CL/cl_ext.h>

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
    clu_close();
    return utest_end();
}
