utest(backend kbin.c kbin)
