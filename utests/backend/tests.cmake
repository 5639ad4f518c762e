utest(backend kbin.c kbin)

# Code generation, on the simulated EU with a message unit of the tests' own.
foreach(file cg_ops cg_mem cg_random)
  utest(backend ${file}.c beignet_ir simhw)
endforeach()
