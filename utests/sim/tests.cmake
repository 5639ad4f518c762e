# The simulated GPU. `cs` and `vm` use sim/hw without a kernel; the others run under gensim.
pkg_check_modules(DRM REQUIRED IMPORTED_TARGET libdrm)
utest(sim vm.c simhw)
# The EU: programs of a few instructions, expected registers worked out in C.
foreach(file eu_ops eu_types eu_arith eu_flow)
  utest(sim ${file}.c simhw)
  target_compile_options(test-sim-${file} PRIVATE -frounding-math -ffp-contract=off)
endforeach()
utest(sim cs.c simhw)

if(TARGET gensim)
  foreach(device hsw-gt2 skl-gt2 ivb-gt2 bdw-gt2 bxt-3x6)
    utest_gensim(sim node.c ${device} PkgConfig::DRM)
  endforeach()
  set(UTEST_GENSIM_OPTIONS --delay 150)
  foreach(device hsw-gt2 skl-gt2)
    utest_gensim(sim async.c ${device} PkgConfig::DRM)
  endforeach()
  set(UTEST_GENSIM_OPTIONS --fault gem_create:2:ENOMEM,gem_busy:1+:EIO,gem_execbuffer2:1:EINTR)
  utest_gensim(sim inject.c skl-gt2 PkgConfig::DRM)
  set(UTEST_GENSIM_OPTIONS)

  # Intel's driver looks for its compiler and for us by the loader's vendor file.
  set(UTEST_ENVIRONMENT OCL_ICD_VENDORS=/etc/OpenCL/vendors/intel.icd NEO_CACHE_PERSISTENT=0)
  foreach(device skl-gt2 bdw-gt2)
    utest_gensim(sim neo_vecadd.c ${device} OpenCL)
  endforeach()
  set(UTEST_ENVIRONMENT)

  add_test(NAME sim/exports COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/exports.sh $<TARGET_FILE:gensim-preload>)
  set_tests_properties(sim/exports PROPERTIES LABELS sim TIMEOUT 30)
endif()
