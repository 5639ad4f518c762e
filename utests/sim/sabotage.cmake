# Negative controls: with a rule of the hardware broken (sim/hw/sabotage.def), a judge from outside that passes
# otherwise has to fail. sabotage(DEVICE JUDGE RULE...)
function(sabotage device judge)
  foreach(rule ${ARGN})
    set(test sim/sabotage-${rule}-${device})
    add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sim/sabotage.sh $<TARGET_FILE:gensim> ${device} ${rule}
      $<TARGET_FILE:test-sim-${judge}> ${SABOTAGE_ARGUMENTS})
    set_tests_properties(${test} PROPERTIES LABELS "sim;judge" TIMEOUT 300 SKIP_RETURN_CODE 77
      ENVIRONMENT "${UTEST_ENVIRONMENT}")
  endforeach()
endfunction()

if(TARGET gensim AND NOT BEIGNET_SANITIZE)
  # Intel's driver and compiler.
  set(UTEST_ENVIRONMENT OCL_ICD_VENDORS=/etc/OpenCL/vendors/intel.icd NEO_CACHE_PERSISTENT=0)
  foreach(device skl-gt2 bdw-gt2)
    utest_gensim(sim neo_rules.c ${device} OpenCL)
    sabotage(${device} neo_rules unwritten_lanes constants_order right_mask nibctrl else_mask goto_sense mach_low
      wide_dst unsigned_shift)
  endforeach()
  set(UTEST_ENVIRONMENT)
endif()

# Mesa's driver and compiler, for Gen7 and 7.5.
if(TARGET test-sim-hasvk AND TARGET test-sim-hasvk_flow)
  set(UTEST_ENVIRONMENT VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/intel_hasvk_icd.x86_64.json
    MESA_SHADER_CACHE_DISABLE=true)
  set(SABOTAGE_ARGUMENTS ${SPIRV_DIR})
  sabotage(hsw-gt2 hasvk n0_start else_mask constants_order mach_low unsigned_shift)
  sabotage(hsw-gt2 hasvk_flow right_mask)
  sabotage(ivb-gt2 hasvk n0_start else_mask nibctrl mach_low unsigned_shift)
  sabotage(ivb-gt2 hasvk_flow right_mask)
  set(SABOTAGE_ARGUMENTS)
  set(UTEST_ENVIRONMENT)
endif()
