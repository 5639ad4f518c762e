# The simulated GPU. `cs` and `vm` use sim/hw without a kernel; the others run under gensim.
pkg_check_modules(DRM REQUIRED IMPORTED_TARGET libdrm)
utest(sim vm.c simhw)
utest(sim msg.c simhw)
# The EU: programs of a few instructions, expected registers worked out in C.
foreach(file eu_ops eu_types eu_arith eu_flow eu_fast eu_dispatch eu_fuzz)
  utest(sim ${file}.c simhw)
  target_compile_options(test-sim-${file} PRIVATE -frounding-math -ffp-contract=off)
endforeach()
utest(sim cs.c simhw)

if(TARGET gensim)
  foreach(device hsw-gt2 skl-gt2 ivb-gt2 bdw-gt2 bxt-3x6)
    utest_gensim(sim node.c ${device} PkgConfig::DRM)
  endforeach()
  foreach(device hsw-gt2 skl-gt2)
    utest_gensim(sim fuzz_node.c ${device} PkgConfig::DRM)
  endforeach()
  set(UTEST_GENSIM_OPTIONS --delay 150)
  foreach(device hsw-gt2 skl-gt2)
    utest_gensim(sim async.c ${device} PkgConfig::DRM)
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
    endforeach()
    set(UTEST_ENVIRONMENT)

    add_executable(test-sim-neo_race ${CMAKE_CURRENT_SOURCE_DIR}/sim/neo_race.c)
    target_include_directories(test-sim-neo_race PRIVATE ${CMAKE_SOURCE_DIR}/utests)
    target_link_libraries(test-sim-neo_race PRIVATE OpenCL)
    add_test(NAME sim/neo_race
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/neo_race.sh $<TARGET_FILE:gensim> $<TARGET_FILE:test-sim-neo_race>)
    set_tests_properties(sim/neo_race PROPERTIES LABELS sim TIMEOUT 200 SKIP_RETURN_CODE 77)
  endif()

  add_test(NAME sim/exports COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/exports.sh $<TARGET_FILE:gensim-preload>)
  add_test(NAME sim/gensim COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/gensim.sh $<TARGET_FILE:gensim>)
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
  add_executable(test-sim-hasvk ${CMAKE_CURRENT_SOURCE_DIR}/sim/hasvk.c)
  target_include_directories(test-sim-hasvk PRIVATE ${CMAKE_SOURCE_DIR}/utests)
  target_link_libraries(test-sim-hasvk PRIVATE Vulkan::Vulkan m)
  add_dependencies(test-sim-hasvk sim-shaders gensim gensim-preload)
  foreach(device ivb-gt2 byt hsw-gt2 bdw-gt2 chv skl-gt2)
    set(icd /usr/share/vulkan/icd.d/intel_hasvk_icd.x86_64.json)
    if(device MATCHES skl)
      set(icd /usr/share/vulkan/icd.d/intel_icd.x86_64.json)
    endif()
    add_test(NAME sim/hasvk-${device}
      COMMAND gensim --device ${device} -- $<TARGET_FILE:test-sim-hasvk> ${SPIRV_DIR})
    set_tests_properties(sim/hasvk-${device} PROPERTIES LABELS sim TIMEOUT 300 SKIP_RETURN_CODE 77
      ENVIRONMENT "VK_ICD_FILENAMES=${icd};MESA_SHADER_CACHE_DISABLE=true")
  endforeach()
endif()
