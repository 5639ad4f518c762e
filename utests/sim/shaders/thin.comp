#version 450
/* Groups of a single item. */
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
void main() { b[gl_WorkGroupID.x * 3u] = a[gl_WorkGroupID.x] * gl_NumWorkGroups.x; }
