# Readers of untrusted bytes. A minute each of the two that meet files and code from anywhere.
utest(fuzz kbin.c kbin)
utest(fuzz eu.c gen)
utest(fuzz ccproto.c kbin)
utest(fuzz spirv.c gen)
target_sources(test-fuzz-spirv PRIVATE ${CMAKE_SOURCE_DIR}/src/core/spirv.c)
set_tests_properties(fuzz/kbin fuzz/eu PROPERTIES ENVIRONMENT FUZZ_SECONDS=60)
