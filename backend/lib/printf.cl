/* Where a record of printf goes: gen/kbin.h says how the buffer looks, lower_printf.c makes the calls. */
#include "gen.h"

/* `size` bytes (a multiple of 4) for a record, NULL if there is no room. */
__global uint *__gen_printf_reserve(uint size)
{
    __global uint *buffer = __gen_printf_buffer();
    uint capacity = buffer[1];
    uint at = __gen_atomic_add_global(buffer, size);
    if (at <= capacity && size <= capacity - at)
        return buffer + 4 + at / 4;
    /* from now on it stays full: the count must not wrap around, however long this goes on */
    __gen_atomic_umin_global(buffer, capacity);
    return 0;
}
