# utest_gensim(AREA FILE.c DEVICE LIBS...): a test program that runs on a simulated device. One program may have
# several devices: it is built once, and each gives a test AREA/NAME-DEVICE. The variable UTEST_GENSIM_OPTIONS
# (a list) adds options of gensim, UTEST_ENVIRONMENT (a list of NAME=VALUE) variables, UTEST_SUFFIX a name for
# that variant.
function(utest_gensim area file device)
  get_filename_component(name ${file} NAME_WE)
  set(target test-${area}-${name})
  if(NOT TARGET ${target})
    add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/${area}/${file})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/utests)
    target_link_libraries(${target} PRIVATE ${ARGN})
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                               BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_dependencies(${target} gensim gensim-preload)
  endif()
  set(test ${area}/${name}-${device}${UTEST_SUFFIX})
  add_test(NAME ${test} COMMAND gensim --device ${device} ${UTEST_GENSIM_OPTIONS} -- $<TARGET_FILE:${target}>)
  set_tests_properties(${test} PROPERTIES LABELS ${area} TIMEOUT 300 SKIP_RETURN_CODE 77
                       ENVIRONMENT "${UTEST_ENVIRONMENT}")
endfunction()
