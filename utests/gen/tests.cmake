utest(gen cmd.c gen)
utest(gen device.c gen)
utest(gen msg.c gen)
