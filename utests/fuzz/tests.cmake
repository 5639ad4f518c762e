utest(fuzz kbin.c kbin)
utest(fuzz ccproto.c kbin)
