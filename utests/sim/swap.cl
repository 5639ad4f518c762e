// Runs in the place of shaders/swap.comp. Mesa's binding table holds the number of groups, then the two buffers: the
// order in which they are used here.
__attribute__((reqd_work_group_size(16, 1, 1)))
kernel void swap(global const uint *groups, global const uint *a, global uint *b)
{
    uint n = groups[0], i = get_group_id(0) * 16 + get_local_id(0), x = a[i] + n, steps = 0;
    while ((x & 7) != 0 && steps < 40) {
        x = x & 1 ? x * 5 + 3 : x ^ (x >> 3);
        steps++;
    }
    if (steps == 40)
        x = x / (i + 1);
    b[i] = x + steps * n;
}
