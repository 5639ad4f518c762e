# OpenCL programs, each on a simulated device of every generation. They speak plain OpenCL.
set(CL_DEVICES hsw-gt2 skl-gt2 ivb-gt2 bdw-gt2)
find_library(OPENCL_LIBRARY OpenCL REQUIRED)

# utest_cl(name files...): name.c and further files, on each device.
function(utest_cl name)
  set(target test-cl-${name})
  add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/cl/${name}.c)
  foreach(file ${ARGN})
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cl/${file})
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/utests)
  target_compile_options(${target} PRIVATE -fwrapv -frounding-math -Wno-type-limits)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE ${OPENCL_LIBRARY} m Threads::Threads)
  add_dependencies(${target} gensim cl beignet-cc)
  foreach(device ${CL_DEVICES})
    add_test(NAME cl/${name}@${device} COMMAND gensim --device ${device} -- $<TARGET_FILE:${target}>)
    set_tests_properties(cl/${name}@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
  endforeach()
endfunction()

if(TARGET gensim AND TARGET cl AND TARGET beignet-cc)
  foreach(name expr_int math_ulp builtins lang groups buffers events extensions images image_limits double half printf options queries commands
               situations generated lang30 subgroups language transfer inject slices addresses memory svm lifetimes)
    utest_cl(${name})
  endforeach()
  # What builtins.def says of each built-in.
  foreach(name elementwise conversions geometric moves atomics subgroup_ops)
    utest_cl(${name})
  endforeach()
  # Values that are pocl's; where pocl is, it must still give them.
  utest_cl(corners)
  if(EXISTS /etc/OpenCL/vendors/pocl.icd)
    add_test(NAME cl/corners@pocl COMMAND test-cl-corners)
    set_tests_properties(cl/corners@pocl PROPERTIES LABELS cl TIMEOUT 300
      ENVIRONMENT "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd;POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl-cache")
  endif()
  foreach(name intel_subgroups atomics64 integer_ext rw_images depth_images sampler_pairs)
    utest_cl(${name})
  endforeach()
  add_test(NAME cl/builtins_table COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/builtins_table.py ${CMAKE_SOURCE_DIR}
           ${CMAKE_BINARY_DIR})
  set_tests_properties(cl/builtins_table PROPERTIES LABELS "cl;core" TIMEOUT 60)
  # Their ioctl() is to be found before any other.
  set(interposing transfer inject commands)
  if(NOT BEIGNET_SANITIZE) # whose allocator makes system calls of its own, which would be counted
    utest_cl(syscalls)
    list(APPEND interposing syscalls)
  endif()
  foreach(name ${interposing})
    set_target_properties(test-cl-${name} PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(test-cl-${name} PRIVATE ${CMAKE_DL_LIBS})
  endforeach()
  foreach(device ${CL_DEVICES})
    set_property(TEST cl/memory@${device} APPEND PROPERTY ENVIRONMENT "BEIGNET_MEMORY_LIMIT=96M")
  endforeach()
  utest_cl(api_errors api_errors_buffers.c api_errors_images.c api_errors_programs.c api_errors_kernels.c
           api_errors_rest.c api_errors_svm.c api_errors_memory.c api_errors_external.c)
  set_target_properties(test-cl-api_errors PROPERTIES ENABLE_EXPORTS ON) # its malloc() comes first
  # Memory of others: what the parts without a shared cache do with it matters too.
  set(devices ${CL_DEVICES})
  list(APPEND CL_DEVICES byt chv)
  utest_cl(external)
  foreach(device ${CL_DEVICES})
    set_property(TEST cl/external@${device} APPEND PROPERTY ENVIRONMENT "BEIGNET_MEMORY_LIMIT=96M")
  endforeach()
  set(CL_DEVICES ${devices})
  pkg_check_modules(DRM REQUIRED IMPORTED_TARGET libdrm)
  foreach(name external api_errors)
    target_link_libraries(test-cl-${name} PRIVATE PkgConfig::DRM)
  endforeach()
  # SPIR-V: the modules are made by Clang 15 (whose bitcode the translator reads) and SPIRV-Tools.
  find_program(CLANG_15 clang-15)
  find_program(SPIRV_AS spirv-as)
  if(CLANG_15 AND SPIRV_AS AND EXISTS ${BEIGNET_LLVM_SPIRV})
    set(SPIRV_DIR ${CMAKE_BINARY_DIR}/utests/spirv)
    file(MAKE_DIRECTORY ${SPIRV_DIR})
    set(spirv_modules)
    foreach(bits 32 64)
      if(bits EQUAL 32)
        set(triple spir-unknown-unknown)
      else()
        set(triple spir64-unknown-unknown)
      endif()
      foreach(variant O0 O2 linked)
        if(variant STREQUAL linked)
          set(flags -O2 -DLINKED)
        else()
          set(flags -${variant})
        endif()
        set(module ${SPIRV_DIR}/kernels-${variant}-${bits})
        add_custom_command(OUTPUT ${module}.spv
          COMMAND ${CLANG_15} -target ${triple} -cl-std=CL1.2 -Xclang -no-opaque-pointers -fno-discard-value-names -Xclang -finclude-default-header ${flags}
            -emit-llvm -c ${CMAKE_CURRENT_SOURCE_DIR}/cl/spirv.cl -o ${module}.bc
          COMMAND ${BEIGNET_LLVM_SPIRV} --spirv-max-version=1.2 ${module}.bc -o ${module}.spv
          DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cl/spirv.cl)
        list(APPEND spirv_modules ${module}.spv)
      endforeach()
      file(READ ${CMAKE_CURRENT_SOURCE_DIR}/cl/spirv_spec.spvasm text)
      string(REPLACE @MODEL@ Physical${bits} text "${text}")
      file(CONFIGURE OUTPUT ${SPIRV_DIR}/spec${bits}.spvasm CONTENT "${text}" @ONLY)
      add_custom_command(OUTPUT ${SPIRV_DIR}/spec${bits}.spv
        COMMAND ${SPIRV_AS} --target-env spv1.0 ${SPIRV_DIR}/spec${bits}.spvasm -o ${SPIRV_DIR}/spec${bits}.spv
        DEPENDS ${SPIRV_DIR}/spec${bits}.spvasm)
      list(APPEND spirv_modules ${SPIRV_DIR}/spec${bits}.spv)
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cl/spirv_spec.spvasm)
    add_custom_target(spirv-modules DEPENDS ${spirv_modules})
    utest_cl(spirv)
    add_dependencies(test-cl-spirv spirv-modules)
    add_test(NAME cl/spirv-none COMMAND gensim --device skl-gt2 -- $<TARGET_FILE:test-cl-spirv> none)
    set_tests_properties(cl/spirv-none PROPERTIES LABELS cl TIMEOUT 60
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0;BEIGNET_LLVM_SPIRV=/nonexistent")
  else()
    message(STATUS "no test of SPIR-V: needs clang-15, spirv-as and llvm-spirv-15")
  endif()
  # All widths of the code, whichever the compiler would have chosen. The groups are of up to 512 work-items, more
  # than fit at eight lanes.
  foreach(name lang groups images half double)
    foreach(width 8 16 32)
      if(name STREQUAL groups AND width EQUAL 8)
        continue()
      endif()
      foreach(device ${CL_DEVICES})
        add_test(NAME cl/${name}-simd${width}@${device}
          COMMAND gensim --device ${device} -- $<TARGET_FILE:test-cl-${name}>)
        set_tests_properties(cl/${name}-simd${width}@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600
          SKIP_RETURN_CODE 77 ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0;\
BEIGNET_CC=${CMAKE_CURRENT_SOURCE_DIR}/cl/simd_cc.sh;SIMD_CC_REAL=$<TARGET_FILE:beignet-cc>;SIMD_CC_WIDTH=${width}")
      endforeach()
    endforeach()
  endforeach()
  # gensim's --check has nothing to say of right programs: it would make the status 3.
  foreach(name lang groups builtins printf)
    foreach(device hsw-gt2 skl-gt2)
      add_test(NAME cl/${name}-check@${device}
        COMMAND gensim --device ${device} --check -- $<TARGET_FILE:test-cl-${name}>)
      set_tests_properties(cl/${name}-check@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600
        SKIP_RETURN_CODE 77 ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
    endforeach()
  endforeach()
  add_executable(test-cl-race ${CMAKE_CURRENT_SOURCE_DIR}/cl/race.c)
  target_include_directories(test-cl-race PRIVATE ${CMAKE_SOURCE_DIR}/utests)
  target_link_libraries(test-cl-race PRIVATE ${OPENCL_LIBRARY})
  foreach(device ivb-gt2 hsw-gt2 bdw-gt2 skl-gt2)
    add_test(NAME cl/race@${device} COMMAND gensim --device ${device} --check -- $<TARGET_FILE:test-cl-race>)
    set_tests_properties(cl/race@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 60
      PASS_REGULAR_EXPRESSION "data race: racy, [^ ]* .program\\.cl:4.*lane 0 wrote it at [^ ]* .program\\.cl:4"
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
  endforeach()
  # Each batch ends some time after its work, so that things are really under way.
  foreach(name commands events transfer)
    foreach(device hsw-gt2 skl-gt2)
      add_test(NAME cl/${name}-slow@${device}
        COMMAND gensim --device ${device} --delay 2 -- $<TARGET_FILE:test-cl-${name}>)
      set_tests_properties(cl/${name}-slow@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600
        ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
    endforeach()
  endforeach()
  # With ioctls that fail, and batches that hang; the second is another seed, and each batch ends some time after
  # its work.
  foreach(device ${CL_DEVICES})
    foreach(how interrupted failing hung)
      set(options --device ${device})
      if(how STREQUAL hung)
        list(APPEND options --fault "hang:20,hang:50,hang:51,hang:90")
      endif()
      foreach(seed 1 77)
        set(test cl/commands-${how}-${seed}@${device})
        add_test(NAME ${test} COMMAND gensim ${options} -- $<TARGET_FILE:test-cl-commands> ${how} ${seed})
        set_tests_properties(${test} PROPERTIES LABELS "cl;${device}" TIMEOUT 300
          ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
        list(APPEND options --delay 2)
      endforeach()
    endforeach()
  endforeach()
  foreach(device hsw-gt2 skl-gt2)
    foreach(end all nothing gated static)
      add_test(NAME cl/lifetimes-${end}@${device}
        COMMAND gensim --device ${device} --delay 20 -- $<TARGET_FILE:test-cl-lifetimes> ${end})
      set_tests_properties(cl/lifetimes-${end}@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 60
        ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
    endforeach()
  endforeach()
  if(EXISTS /etc/OpenCL/vendors/pocl.icd)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/vendors-two/beignet.icd CONTENT "$<TARGET_FILE:cl>\n")
    file(COPY /etc/OpenCL/vendors/pocl.icd DESTINATION ${CMAKE_BINARY_DIR}/vendors-two)
    add_test(NAME cl/lifetimes-two COMMAND gensim -- $<TARGET_FILE:test-cl-lifetimes> two)
    set_tests_properties(cl/lifetimes-two PROPERTIES LABELS cl TIMEOUT 120 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors-two;BEIGNET_CACHE=0;POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl-cache")
  endif()
  # Machines with several GPUs, none, or kernels that lack something.
  add_executable(test-cl-nodes ${CMAKE_CURRENT_SOURCE_DIR}/cl/nodes.c)
  target_include_directories(test-cl-nodes PRIVATE ${CMAKE_SOURCE_DIR}/utests)
  target_compile_definitions(test-cl-nodes PRIVATE _GNU_SOURCE)
  target_link_libraries(test-cl-nodes PRIVATE ${OPENCL_LIBRARY})
  add_test(NAME cl/nodes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/nodes.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(cl/nodes PROPERTIES LABELS cl TIMEOUT 300)
  # What goes wrong on purpose: one test a fault, with gensim's options for it.
  add_executable(test-cl-faults ${CMAKE_CURRENT_SOURCE_DIR}/cl/faults.c)
  target_include_directories(test-cl-faults PRIVATE ${CMAKE_SOURCE_DIR}/utests)
  target_link_libraries(test-cl-faults PRIVATE ${OPENCL_LIBRARY} Threads::Threads)
  foreach(device ${CL_DEVICES})
    foreach(fault syntax wild bounds endless compiler ioctl lost leaving crowd)
      set(options)
      set(environment "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0")
      if(fault STREQUAL endless)
        set(options --hang-limit 2000000)
      elseif(fault STREQUAL ioctl)
        set(options --fault "gem_create:30:ENOMEM,gem_create:32:ENOMEM,execbuffer2:5:ENOMEM,execbuffer2:9:ENOSPC,execbuffer2:13:EINTR,execbuffer2:15:EIO,any:200:EINTR,any:210:EAGAIN")
      elseif(fault STREQUAL lost)
        set(options --fault "execbuffer2:10+:EIO")
      elseif(fault STREQUAL leaving)
        set(options --delay 20)
      elseif(fault STREQUAL compiler)
        set(mark ${CMAKE_CURRENT_BINARY_DIR}/dying-${device})
        list(APPEND environment "BEIGNET_CC=${CMAKE_CURRENT_SOURCE_DIR}/cl/dying_cc.sh" "DYING_CC_MARK=${mark}"
          "DYING_CC_REAL=$<TARGET_FILE:beignet-cc>")
        add_test(NAME cl/faults-forget@${device} COMMAND ${CMAKE_COMMAND} -E rm -f ${mark})
        set_tests_properties(cl/faults-forget@${device} PROPERTIES LABELS "cl;${device}" FIXTURES_SETUP dying-${device})
      endif()
      add_test(NAME cl/faults-${fault}@${device}
        COMMAND gensim --device ${device} ${options} -- $<TARGET_FILE:test-cl-faults> ${fault})
      set_tests_properties(cl/faults-${fault}@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 120
        ENVIRONMENT "${environment}")
      if(fault STREQUAL compiler)
        set_tests_properties(cl/faults-${fault}@${device} PROPERTIES FIXTURES_REQUIRED dying-${device})
      endif()
    endforeach()
  endforeach()
  foreach(device pocl ${CL_DEVICES})
    add_test(NAME cl/kernels@${device}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/kernels.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${device})
    set_tests_properties(cl/kernels@${device} PROPERTIES LABELS "cl;${device}" TIMEOUT 600 SKIP_RETURN_CODE 77
      FIXTURES_REQUIRED kernels)
  endforeach()
  set_tests_properties(cl/kernels@pocl PROPERTIES FIXTURES_SETUP kernels FIXTURES_REQUIRED "")
  # A thousand random kernels, a quarter on each generation; run.py runs all, or others, anywhere. Their ranges are
  # small, for which the driver takes sixteen lanes where it can: on two generations all have 32.
  set(part 0)
  list(LENGTH CL_DEVICES parts)
  foreach(device ${CL_DEVICES})
    set(width)
    if(device MATCHES hsw|bdw)
      set(width ";BEIGNET_CC=${CMAKE_CURRENT_SOURCE_DIR}/cl/simd_cc.sh;SIMD_CC_REAL=$<TARGET_FILE:beignet-cc>;SIMD_CC_WIDTH=32")
    endif()
    add_test(NAME cl/random@${device}
      COMMAND gensim --device ${device} -- ${CMAKE_CURRENT_SOURCE_DIR}/cl/random/run.py --part ${part} --parts ${parts})
    set_tests_properties(cl/random@${device} PROPERTIES LABELS "cl;random;${device}" TIMEOUT 600 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0;PYOPENCL_NO_CACHE=1${width}")
    add_test(NAME cl/random-plain@${device}
      COMMAND gensim --device ${device} -- ${CMAKE_CURRENT_SOURCE_DIR}/cl/random/run.py --options=-cl-opt-disable
              --part ${part} --parts 16)
    set_tests_properties(cl/random-plain@${device} PROPERTIES LABELS "cl;random;${device}" TIMEOUT 600
      SKIP_RETURN_CODE 77 ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;BEIGNET_CACHE=0;PYOPENCL_NO_CACHE=1")
    math(EXPR part "${part} + 1")
  endforeach()
  # Some of what clients.sh knows; it runs the rest by hand.
  foreach(device hsw-gt2 skl-gt2)
    add_test(NAME cl/clients@${device}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/clients.sh ${CMAKE_BINARY_DIR} ${device}
              clinfo:all clblast:xscal clblast:xhad clblast:xdot clfft:-x,64 clfft:-x,60,-b,2
              pyopencl:pyopencl_algorithms)
    set_tests_properties(cl/clients@${device} PROPERTIES LABELS "cl;clients;${device}" TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
  add_test(NAME cl/codequality
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/codequality.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(cl/codequality PROPERTIES LABELS cl TIMEOUT 300 SKIP_RETURN_CODE 77)
  foreach(device hsw-gt2 skl-gt2)
    add_test(NAME cl/piglit@${device}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/piglit.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${device})
    set_tests_properties(cl/piglit@${device} PROPERTIES LABELS "cl;piglit;${device}" TIMEOUT 1800 SKIP_RETURN_CODE 77
      PROCESSORS 2)
  endforeach()
endif()
