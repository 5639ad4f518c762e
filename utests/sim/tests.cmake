# The simulated GPU. `cs` and `vm` use sim/hw without a kernel; the others run under gensim.
pkg_check_modules(DRM REQUIRED IMPORTED_TARGET libdrm)
utest(sim vm.c simhw)
utest(sim msg.c simhw)
utest(sim sampler.c simhw m)
utest(sim sampler_rules.c simhw m)
foreach(file image_format image_tile msg_kinds msg_typed msg_media)
  utest(sim ${file}.c simhw m)
endforeach()
# The EU: programs of a few instructions, expected registers worked out in C.
foreach(file eu_ops eu_types eu_arith eu_flow eu_fast eu_dispatch eu_fuzz eu_perturb)
  utest(sim ${file}.c simhw)
  target_compile_options(test-sim-${file} PRIVATE -frounding-math -ffp-contract=off)
endforeach()
utest(sim cs.c simhw)
utest(sim cs_rules.c simhw)
utest(sim cs_mi.c simhw)
utest(sim cs_devices.c simhw)
utest(sim cs_overlap.c simhw)
utest(sim fuzz_batch.c simhw)

if(TARGET gensim)
  foreach(device hsw-gt2 skl-gt2 ivb-gt2 bdw-gt2 bxt-3x6)
    utest_gensim(sim node.c ${device} PkgConfig::DRM)
    utest_gensim(sim node_tiled.c ${device} PkgConfig::DRM)
  endforeach()
  foreach(device hsw-gt2 skl-gt2)
    utest_gensim(sim fuzz_node.c ${device} PkgConfig::DRM)
  endforeach()
  set(UTEST_GENSIM_OPTIONS --delay 150)
  foreach(device hsw-gt2 skl-gt2)
    utest_gensim(sim async.c ${device} PkgConfig::DRM)
  endforeach()
  set(UTEST_GENSIM_OPTIONS --check)
  foreach(device hsw-gt2 skl-gt2)
    utest_gensim(sim node_check.c ${device} PkgConfig::DRM)
    # The program is content; that something was reported is gensim's status 3.
    set_tests_properties(sim/node_check-${device} PROPERTIES PASS_REGULAR_EXPRESSION
                         "checks, 0 failed.*check: stale relocation at 1 place, 1 time")
  endforeach()
  set(UTEST_GENSIM_OPTIONS --fault gem_create:2:ENOMEM,gem_busy:1+:EIO,gem_execbuffer2:1:EINTR)
  utest_gensim(sim inject.c skl-gt2 PkgConfig::DRM)
  set(UTEST_GENSIM_OPTIONS)

  # Not under a sanitizer: Intel's driver opens libraries in a way that those refuse.
  if(NOT BEIGNET_SANITIZE)
    # Intel's driver looks for its compiler and for us by the loader's vendor file.
    set(UTEST_ENVIRONMENT OCL_ICD_VENDORS=/etc/OpenCL/vendors/intel.icd NEO_CACHE_PERSISTENT=0)
    foreach(device skl-gt2 bdw-gt2)
      utest_gensim(sim neo_vecadd.c ${device} OpenCL)
      utest_gensim(sim neo_block.c ${device} OpenCL)
    endforeach()
    foreach(device skl-gt2 bdw-gt2 kbl-gt2)
      utest_gensim(sim neo_image.c ${device} OpenCL m)
      utest_gensim(sim neo_peak.c ${device} OpenCL m)
      add_test(NAME sim/neo_info-${device}
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/neo_info.py $<TARGET_FILE:gensim> ${device})
      add_test(NAME sim/neo_kernels-${device} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cl/kernels.sh
        ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${device} /etc/OpenCL/vendors/intel.icd)
      set_tests_properties(sim/neo_info-${device} sim/neo_kernels-${device} PROPERTIES
        LABELS "sim;judge" TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "${UTEST_ENVIRONMENT}")
      set_tests_properties(sim/neo_kernels-${device} PROPERTIES FIXTURES_REQUIRED kernels)
    endforeach()
    foreach(device skl-gt2 bdw-gt2) # half a minute each: forty builds
      add_test(NAME sim/neo_array-${device}
        COMMAND gensim --device ${device} -- ${CMAKE_CURRENT_SOURCE_DIR}/sim/neo_array.py)
      set_tests_properties(sim/neo_array-${device} PROPERTIES
        LABELS "sim;judge" TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "${UTEST_ENVIRONMENT}")
    endforeach()
    set(UTEST_ENVIRONMENT)

    add_executable(test-sim-neo_race ${CMAKE_CURRENT_SOURCE_DIR}/sim/neo_race.c)
    target_include_directories(test-sim-neo_race PRIVATE ${CMAKE_SOURCE_DIR}/utests)
    target_link_libraries(test-sim-neo_race PRIVATE OpenCL)
    add_test(NAME sim/neo_race
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/neo_race.sh $<TARGET_FILE:gensim> $<TARGET_FILE:test-sim-neo_race>)
    set_tests_properties(sim/neo_race PROPERTIES LABELS sim TIMEOUT 200 SKIP_RETURN_CODE 77)
    # The same, without a device: it records what it would submit.
    utest(sim aub.c simhw OpenCL)
  endif()

  add_test(NAME sim/exports COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/exports.sh $<TARGET_FILE:gensim-preload>)
  add_test(NAME sim/gensim COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/gensim.sh $<TARGET_FILE:gensim>)
  # What --stats, --trace and --check say of known kernels.
  add_executable(test-sim-watched ${CMAKE_CURRENT_SOURCE_DIR}/sim/watched.c)
  target_include_directories(test-sim-watched PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/utests
                             ${XXHASH_INCLUDE_DIR})
  target_compile_definitions(test-sim-watched PRIVATE _GNU_SOURCE)
  target_link_libraries(test-sim-watched PRIVATE gen PkgConfig::DRM)
  add_dependencies(test-sim-watched gensim gensim-preload)
  foreach(device hsw-gt2 skl-gt2 ivb-gt2 bdw-gt2)
    add_test(NAME sim/watched-${device} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/watched.py
      $<TARGET_FILE:gensim> $<TARGET_FILE:test-sim-watched> ${device})
    set_tests_properties(sim/watched-${device} PROPERTIES LABELS sim TIMEOUT 120)
  endforeach()
  set_tests_properties(sim/exports sim/gensim PROPERTIES LABELS sim TIMEOUT 60)
endif()

# Mesa's Vulkan driver: the judge for Gen7 and 7.5.
find_package(Vulkan)
find_program(GLSLANG glslangValidator)
if(TARGET gensim AND Vulkan_FOUND AND GLSLANG)
  set(SPIRV_DIR ${CMAKE_CURRENT_BINARY_DIR}/sim-shaders)
  set(SPIRV)
  file(GLOB SHADERS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sim/shaders/*.comp)
  foreach(shader ${SHADERS})
    get_filename_component(name ${shader} NAME_WE)
    add_custom_command(OUTPUT ${SPIRV_DIR}/${name}.spv
      COMMAND ${CMAKE_COMMAND} -E make_directory ${SPIRV_DIR}
      COMMAND ${GLSLANG} -V --target-env vulkan1.1 -o ${SPIRV_DIR}/${name}.spv ${shader} DEPENDS ${shader} VERBATIM)
    list(APPEND SPIRV ${SPIRV_DIR}/${name}.spv)
  endforeach()
  add_custom_target(sim-shaders DEPENDS ${SPIRV})
  add_library(test-sim-vk STATIC ${CMAKE_CURRENT_SOURCE_DIR}/sim/vk.c)
  target_include_directories(test-sim-vk PUBLIC ${CMAKE_SOURCE_DIR}/utests)
  target_link_libraries(test-sim-vk PUBLIC Vulkan::Vulkan m)
  foreach(program hasvk hasvk_image hasvk_flow hasvk_data hasvk_sampler)
    set(target test-sim-${program})
    add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/sim/${program}.c)
    target_link_libraries(${target} PRIVATE test-sim-vk)
    add_dependencies(${target} sim-shaders gensim gensim-preload)
    foreach(device ivb-gt1 ivb-gt2 byt hsw-gt1 hsw-gt2 hsw-gt3 bdw-gt2 chv skl-gt2)
      set(icd /usr/share/vulkan/icd.d/intel_hasvk_icd.x86_64.json)
      if(device MATCHES skl)
        set(icd /usr/share/vulkan/icd.d/intel_icd.x86_64.json)
      endif()
      set(test sim/${program}-${device})
      add_test(NAME ${test} COMMAND gensim --device ${device} -- $<TARGET_FILE:${target}> ${SPIRV_DIR})
      set_tests_properties(${test} PROPERTIES LABELS "sim;judge" TIMEOUT 300 SKIP_RETURN_CODE 77
        ENVIRONMENT "VK_ICD_FILENAMES=${icd};MESA_SHADER_CACHE_DISABLE=true")
      # Other code for the same: native encodings alone; other widths. Not every pair is Mesa's to pass: SIMD8
      # spills more than the 12 KiB an Ivy Bridge thread may have, and SIMD32 breaks the EU's width limit of mad.
      foreach(variant nocompact no16 do32)
        if(NOT device MATCHES "gt2" OR (variant STREQUAL do32 AND program STREQUAL hasvk_data))
          continue()
        endif()
        add_test(NAME ${test}-${variant} COMMAND gensim --device ${device} -- $<TARGET_FILE:${target}> ${SPIRV_DIR})
        set_tests_properties(${test}-${variant} PROPERTIES LABELS "sim;judge" TIMEOUT 300 SKIP_RETURN_CODE 77
          ENVIRONMENT "VK_ICD_FILENAMES=${icd};MESA_SHADER_CACHE_DISABLE=true;INTEL_DEBUG=${variant}")
      endforeach()
    endforeach()
  endforeach()
  # Our compiler's code in Mesa's dispatch. Not on Broadwell and Skylake, where Mesa has storage buffers by address.
  if(TARGET beignet-cc)
    add_executable(test-sim-hasvk_swap ${CMAKE_CURRENT_SOURCE_DIR}/sim/hasvk_swap.c)
    target_link_libraries(test-sim-hasvk_swap PRIVATE test-sim-vk)
    add_dependencies(test-sim-hasvk_swap sim-shaders gensim gensim-preload beignet-cc)
    foreach(device ivb-gt2 byt hsw-gt2 chv)
      add_test(NAME sim/hasvk_swap-${device}
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/hasvk_swap.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:gensim> ${device}
          $<TARGET_FILE:beignet-cc> $<TARGET_FILE:test-sim-hasvk_swap> ${SPIRV_DIR})
      set_tests_properties(sim/hasvk_swap-${device} PROPERTIES LABELS "sim;judge" TIMEOUT 120 SKIP_RETURN_CODE 77
        ENVIRONMENT "VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/intel_hasvk_icd.x86_64.json;MESA_SHADER_CACHE_DISABLE=true")
    endforeach()
  endif()
endif()

# Mesa's OpenGL: other drivers (crocus, iris) with batches of their own.
pkg_check_modules(GLES IMPORTED_TARGET egl glesv2)
if(TARGET gensim AND GLES_FOUND AND NOT BEIGNET_SANITIZE)
  # Ivy Bridge's compute shaders are hidden unless asked for by version.
  set(UTEST_ENVIRONMENT MESA_GLES_VERSION_OVERRIDE=3.1 MESA_SHADER_CACHE_DISABLE=true)
  foreach(device ivb-gt2 byt hsw-gt2 bdw-gt2 chv skl-gt2)
    utest_gensim(sim gl_compute.c ${device} PkgConfig::GLES)
  endforeach()
  set(UTEST_ENVIRONMENT)
endif()
