/* ctz: the bits below the lowest one; of 0 all. */
#define CTZ(T)                                                                                     \
    T __attribute__((overloadable, const)) ctz(T x)                                                \
    {                                                                                              \
        return popcount((T)(~x & (x - (T)1)));                                                     \
    }
#define CTZS(T) CTZ(T) CTZ(T##2) CTZ(T##3) CTZ(T##4) CTZ(T##8) CTZ(T##16)

CTZS(char)
CTZS(uchar)
CTZS(short)
CTZS(ushort)
CTZS(int)
CTZS(uint)
CTZS(long)
CTZS(ulong)
