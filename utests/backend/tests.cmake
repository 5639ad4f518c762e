utest(backend kbin.c kbin)

# Code generation, on the simulated EU with a message unit of the tests' own.
foreach(file cg_ops cg_double cg_mem cg_array cg_flow cg_flags cg_check cg_random cg_narrow depend)
  utest(backend ${file}.c beignet_ir simhw)
endforeach()
utest(backend options.c beignet_ir)
utest(backend optcode.c kbin)
utest(backend refuse.c)
utest(backend server.c kbin)
utest(backend front_kernels.c)

# Gen IR: text form and checker; whole kernels on the host's interpreter, through beignet-cc.
utest(backend ir_text.c beignet_ir)
utest(backend ir_uniform.c beignet_ir)
utest(backend cfg.c beignet_ir)
utest(backend ir_opt.c beignet_ir m)
target_sources(test-backend-ir_opt PRIVATE ${CMAKE_CURRENT_LIST_DIR}/ir_interp.c)
utest(backend ir_run.c beignet_ir m)
target_sources(test-backend-ir_run PRIVATE ${CMAKE_CURRENT_LIST_DIR}/ir_harness.c
               ${CMAKE_CURRENT_LIST_DIR}/ir_interp.c)
add_dependencies(test-backend-ir_run beignet-cc)
utest(backend meta.c kbin)
utest(backend lines.c gen kbin)
