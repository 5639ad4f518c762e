# OpenCL programs, each on a simulated device of every generation. They speak plain OpenCL.
set(CL_DEVICES hsw-gt2 skl-gt2 ivb-gt2 bdw-gt2)
find_library(OPENCL_LIBRARY OpenCL REQUIRED)

function(utest_cl name)
  set(target test-cl-${name})
  add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/cl/${name}.c)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/utests)
  target_compile_options(${target} PRIVATE -fwrapv -Wno-type-limits)
  target_compile_definitions(${target} PRIVATE SOURCE_DIR="${CMAKE_SOURCE_DIR}" BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE ${OPENCL_LIBRARY} m Threads::Threads)
  add_dependencies(${target} gensim cl beignet-cc)
  foreach(device ${CL_DEVICES})
    add_test(NAME cl/${name}@${device} COMMAND gensim --device ${device} -- $<TARGET_FILE:${target}>)
    set_tests_properties(cl/${name}@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
  endforeach()
endfunction()

if(TARGET gensim AND TARGET cl AND TARGET beignet-cc)
  foreach(name expr_int math_ulp lang groups buffers events)
    utest_cl(${name})
  endforeach()
  foreach(device ${CL_DEVICES})
    add_test(NAME cl/kernels@${device}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/kernels.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${device})
    set_tests_properties(cl/kernels@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
endif()
