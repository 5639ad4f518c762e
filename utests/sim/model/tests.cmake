# The simulated EU against a slow model of it, a million random instructions a generation.
add_executable(test-sim-model
  ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/model.c ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/model_alu.c
  ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/model_float.c ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/model_flow.c
  ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/model_gen.c ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/model_region.c
  ${CMAKE_CURRENT_SOURCE_DIR}/sim/model/num.c)
target_include_directories(test-sim-model PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/utests)
target_link_libraries(test-sim-model PRIVATE simhw m)
foreach(generation 70 75 80 90)
  add_test(NAME sim/model-${generation} COMMAND test-sim-model ${generation})
  set_tests_properties(sim/model-${generation} PROPERTIES LABELS sim TIMEOUT 300)
endforeach()

# Rules that only execution can tell.
utest(sim eu_rules.c simhw)
