#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_ARB_gpu_shader_int64 : require
/* Memory by address: 64-bit messages. A list that the shader makes and walks. */
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; uint visits; };
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { Node first; };
void main()
{
    uint i = gl_GlobalInvocationID.x, r = 0u;
    Node at = first;
    for (uint k = 0u; k < 5u + (a[i] & 31u); k++) {
        r = r * 3u + at.value;
        atomicAdd(at.visits, 1u);
        at = at.next;
    }
    b[i] = r;
}
