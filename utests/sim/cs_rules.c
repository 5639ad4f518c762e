/* Each rule of cs_rule.def, on every generation that has it, by a batch that keeps it and one that
 * breaks it: the shortest complete batch (cs_rig.h), with numbers changed or words put in. A rule
 * without both fails the test. */
#include "cs_rig.h"

#include "sim/hw/cs.h"

enum { G70 = 1, G75 = 2, G80 = 4, G90 = 8, ALL = 15, NEW = G80 | G90, OLD = G70 | G75 };
enum verdict { OK, BAD, WARN };

static const struct row {
    enum cs_rule rule;
    unsigned gens;
    enum verdict verdict;
    bool copy_engine; /* the words alone, on the copy engine */
    struct change change;
} rows[] = {
#define WORDS(at, ...)                                                                             \
    .change.place = at, .change.words = {__VA_ARGS__}, .change.n_words = COUNT(__VA_ARGS__)
#define BLIT(...)                          .copy_engine = true, WORDS(FIRST, __VA_ARGS__)
#define SETS(n, ...)                       .change.set = {__VA_ARGS__}, .change.n_set = n
#define SET1(a, x)                         SETS(1, {a, x})
#define SET2(a, x, b, y)                   SETS(2, {a, x}, {b, y})
#define SET3(a, x, b, y, c, z)             SETS(3, {a, x}, {b, y}, {c, z})
#define SET4(a, x, b, y, c, z, d, w)       SETS(4, {a, x}, {b, y}, {c, z}, {d, w})
#define SET5(a, x, b, y, c, z, d, w, e, v) SETS(5, {a, x}, {b, y}, {c, z}, {d, w}, {e, v})
#define SAME                               .change.place = NOWHERE /* the batch as it is */
#define X                                  DATA_AT + 64
    /* What a command is. 3D state is skipped by its length. */
    {CS_command, ALL, OK, WORDS(FIRST, 0x790a0001, 0, 0)},
    {CS_command, ALL, BAD, WORDS(FIRST, 0x20000000)},
    {CS_command, ALL, BAD, WORDS(FIRST, 0xe0000000)},
    {CS_command, ALL, BAD, WORDS(FIRST, 0x1f800000)},
    {CS_command, ALL, BAD, WORDS(FIRST, 0x63000000)},
    {CS_command, ALL, BAD, WORDS(FIRST, 0x54000004, 0, 0, 0, 0, 0)},
    {CS_command, ALL, BAD, BLIT(0x790a0001, 0, 0)},
    {CS_length, OLD, OK, WORDS(FIRST, 0x14800001, 0x243c, DATA_AT)},
    {CS_length, NEW, OK, WORDS(FIRST, 0x14800002, 0x243c, DATA_AT, 0)},
    {CS_length, NEW, OK, WORDS(FIRST, 0x7a000003, 0x00100002, 0, 0, 0)},
    {CS_length, OLD, BAD, WORDS(FIRST, 0x7a000004, 0x00100002, 0, 0, 0, 0)},
    {CS_length, ALL, BAD, WORDS(FIRST, 0x14800000, 0x243c)},
    {CS_length, ALL, BAD, WORDS(FIRST, 0x70040001, 0, 0)},
    {CS_reserved, OLD, OK, WORDS(FIRST, 0x12000001, 0x2358, X)},
    {CS_reserved, OLD, BAD, WORDS(FIRST, 0x12000001, 0x80002358, X)},
    {CS_reserved, NEW, OK, WORDS(FIRST, 0x12000002, 0x2358, X, 0)},
    {CS_reserved, NEW, BAD, WORDS(FIRST, 0x12000002, 0x80002358, X, 0)},
    {CS_reserved, ALL, BAD, WORDS(FIRST, 0x11001001, 0x2400, 0)},
    {CS_reserved, ALL, BAD, SET1(D_RESERVED, 1)},
    {CS_global, ALL, OK, SAME},
    {CS_global, OLD, BAD, WORDS(FIRST, 0x12400001, 0x2358, X)},
    {CS_global, NEW, BAD, WORDS(FIRST, 0x12400002, 0x2358, X, 0)},
    {CS_global, NEW, BAD, WORDS(FIRST, 0x18c00001, SECOND_AT, 0)},
    {CS_privileged, ALL, OK, WORDS(FIRST, 0x02800000)},
    {CS_privileged, NEW, OK, WORDS(FIRST, 0x01000000)},
    {CS_privileged, OLD, BAD, WORDS(FIRST, 0x01000000)},
    {CS_privileged, OLD, BAD, WORDS(FIRST, 0x0b000001, 0, 0)},
    {CS_privileged, ALL, BAD, WORDS(FIRST, 0x0c000000, 0)},
    {CS_not_compute, ALL, OK, WORDS(FIRST, 0x7b000005, 1, 0, 0, 0, 0, 0)},
    {CS_not_compute, ALL, BAD, WORDS(FIRST, 0x7b000005, 0, 3, 0, 1, 0, 0)},
    {CS_not_compute, ALL, BAD, WORDS(FIRST, 0x71000004, 0, 0, 0, 0, 0)},
    {CS_not_compute, OLD, BAD, WORDS(FIRST, 0x71040006, 0, 0, 0, 0, 0, 0, 0)},
    {CS_memory, OLD, OK, WORDS(FIRST, 0x10000002, 0, X, 1)},
    {CS_memory, OLD, BAD, WORDS(FIRST, 0x10000002, 0, NOWHERE_AT, 1)},
    {CS_memory, NEW, OK, WORDS(FIRST, 0x10000002, X, 0, 1)},
    {CS_memory, NEW, BAD, WORDS(FIRST, 0x10000002, NOWHERE_AT, 0, 1)},
    {CS_memory, NEW, BAD, WORDS(FIRST, 0x18800101, NOWHERE_AT, 0)},
    {CS_memory, ALL, BAD, WORDS(FIRST, PC, 0x00100002, PC, 0x00104000, NOWHERE_AT)},
    {CS_memory, ALL, BAD, SET1(CURBE_OFFSET, STATE_SIZE)},
    {CS_memory, ALL, BAD, SET1(START, NOWHERE_AT - BATCH_AT)},
    {CS_batch_align, ALL, OK, SET1(START, 4), WORDS(FIRST, 0)},
    {CS_batch_align, ALL, BAD, SET1(START, 2)},
    {CS_batch_endless, ALL, OK, WORDS(FIRST, 0, 0, 1)},
    {CS_batch_endless, ALL, BAD, SET1(START, ZEROS_AT - BATCH_AT)},
    {CS_batch_endless, NEW, BAD, SET1(SECOND_CALLS, 2), WORDS(FIRST, 0x18800101, SECOND_AT, 0)},
    {CS_batch_chain, G70, OK, SAME},
    {CS_batch_chain, G75, OK, WORDS(FIRST, 0x18c00100, SECOND_AT)},
    {CS_batch_chain, OLD, BAD, WORDS(FIRST, 0x18800100, SECOND_AT)},
    {CS_batch_levels, G75, OK, WORDS(FIRST, 0x18c00100, SECOND_AT)},
    {CS_batch_levels, NEW, OK, WORDS(FIRST, 0x18c00101, SECOND_AT, 0)},
    {CS_batch_levels, G75, BAD, SET1(SECOND_CALLS, 1), WORDS(FIRST, 0x18c00100, SECOND_AT)},
    {CS_batch_levels, NEW, BAD, SET1(SECOND_CALLS, 1), WORDS(FIRST, 0x18c00101, SECOND_AT, 0)},
    {CS_batch_offset, G75, OK, WORDS(FIRST, 0x18c00100, SECOND_AT)},
    {CS_batch_offset, NEW, OK, WORDS(FIRST, 0x18c00101, SECOND_AT, 0)},
    {CS_batch_offset, G75, BAD, WORDS(FIRST, 0x18c10100, SECOND_AT)},
    {CS_batch_offset, NEW, BAD, WORDS(FIRST, 0x18c10101, SECOND_AT, 0)},

    /* Registers and memory. */
    {CS_lri_pairs, ALL, OK, WORDS(FIRST, 0x11000003, 0x2400, 1, 0x2404, 2)},
    {CS_lri_pairs, ALL, BAD, WORDS(FIRST, 0x11000002, 0x2400, 1, 0x2404)},
    {CS_register_offset, ALL, OK, WORDS(FIRST, 0x11000001, 0x2400, 1)},
    {CS_register_offset, ALL, BAD, WORDS(FIRST, 0x11000001, 0x80002400, 1)},
    {CS_register_offset, ALL, BAD, WORDS(FIRST, 0x11000001, 0x2401, 1)},
    {CS_register_parser, OLD, OK, WORDS(FIRST, 0x12000001, 0x2358, X)},
    {CS_register_parser, OLD, BAD, WORDS(FIRST, 0x12000001, 0x2080, X)},
    {CS_register_parser, G75, BAD, WORDS(FIRST, 0x15000001, 0x2080, 0x2600)},
    {CS_l3_atomics, G75, OK, WORDS(FIRST, 0x11000001, 0xb038, 0, 0x11000001, 0xe49c, 0x00400000)},
    {CS_l3_atomics, G75, BAD, WORDS(FIRST, 0x11000001, 0xb038, 0x08000001)},
    {CS_l3_atomics, G75, BAD, WORDS(FIRST, 0x11000001, 0xe49c, 0x00410000)},
    {CS_l3_busy, OLD, OK, WORDS(AFTER_WALKER, PC, 0x00100020, 0x11000001, 0xb020, 0x00880038)},
    {CS_l3_busy, OLD, BAD, WORDS(AFTER_WALKER, 0x11000001, 0xb020, 0x00880038)},
    {CS_l3_busy, NEW, OK, WORDS(AFTER_WALKER, PC, 0x00100020, 0x11000001, 0x7034, 0x60000060)},
    {CS_l3_busy, NEW, BAD, WORDS(AFTER_WALKER, 0x11000001, 0x7034, 0x60000060)},
    {CS_l3_dirty, OLD, OK, WORDS(AFTER_WALKER, PC, 0x00100020, 0x11000001, 0xb020, 0x00880038)},
    {CS_l3_dirty, OLD, BAD, WORDS(AFTER_WALKER, PC, 0x00100002, 0x11000001, 0xb020, 0x00880038)},
    {CS_l3_dirty, NEW, OK, WORDS(AFTER_WALKER, PC, 0x00100020, 0x11000001, 0x7034, 0x60000060)},
    {CS_l3_dirty, NEW, BAD, WORDS(AFTER_WALKER, PC, 0x00100002, 0x11000001, 0x7034, 0x60000060)},
    {CS_l3_ways, OLD, OK, WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x00880038)},
    {CS_l3_ways, OLD, BAD, WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x04880038)},
    {CS_l3_ways, NEW, OK, WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x80000340)},
    {CS_l3_ways, NEW, OK, WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x60000321)},
    {CS_l3_ways, NEW, BAD, WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x80000060)},
    {CS_l3_ways, NEW, BAD, WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x80000041)},
    {CS_l3_no_data, OLD, OK,
     WORDS(BEFORE_WALKER, 0x11000003, 0xb010, 0x01730000, 0xb020, 0x00080040)},
    {CS_l3_no_data, OLD, BAD, WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x00080040)},
    {CS_l3_no_data, NEW, OK, SAME},
    {CS_l3_no_data, NEW, BAD, WORDS(BEFORE_WALKER, 0x11000001, 0x7034, 0x00000060)},
    {CS_l3_low_bandwidth, OLD, OK, WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x020400a1)},
    {CS_l3_low_bandwidth, OLD, BAD, WORDS(BEFORE_WALKER, 0x11000001, 0xb020, 0x02040021)},
    {CS_store_core_mode, OLD, OK, WORDS(FIRST, 0x10000002, 0, X, 1)},
    {CS_store_core_mode, OLD, BAD, WORDS(FIRST, 0x10000002, 0, X + 1, 1)},
    {CS_store_core_mode, NEW, OK, WORDS(FIRST, 0x10000002, X, 0, 1)},
    {CS_store_core_mode, NEW, BAD, WORDS(FIRST, 0x10000002, X + 1, 0, 1)},
    {CS_store_qword, NEW, OK, WORDS(FIRST, 0x10200003, X, 0, 1, 2)},
    {CS_store_qword, NEW, BAD, WORDS(FIRST, 0x10200002, X, 0, 1)},
    {CS_store_qword, NEW, BAD, WORDS(FIRST, 0x10000003, X, 0, 1, 2)},
    {CS_qword_align, OLD, OK, WORDS(FIRST, 0x10000003, 0, X, 1, 2)},
    {CS_qword_align, OLD, BAD, WORDS(FIRST, 0x10000003, 0, X + 4, 1, 2)},
    {CS_qword_align, NEW, OK, WORDS(FIRST, 0x10200003, X, 0, 1, 2)},
    {CS_qword_align, NEW, BAD, WORDS(FIRST, 0x10200003, X + 4, 0, 1, 2)},
    {CS_alu_opcode, G75 | NEW, OK, WORDS(FIRST, 0x0d000000, 0)},
    {CS_alu_opcode, G75 | NEW, BAD, WORDS(FIRST, 0x0d000000, 0x10500000)},
    {CS_alu_source, G75 | NEW, OK, WORDS(FIRST, 0x0d000000, 0x0800800f)},
    {CS_alu_source, G75 | NEW, BAD, WORDS(FIRST, 0x0d000000, 0x08008010)},
    {CS_alu_load, G75 | NEW, OK, WORDS(FIRST, 0x0d000000, 0x08008400)},
    {CS_alu_load, G75 | NEW, BAD, WORDS(FIRST, 0x0d000000, 0x08008800)},
    {CS_alu_result, G75 | NEW, OK, WORDS(FIRST, 0x0d000000, 0x18000033)},
    {CS_alu_result, G75 | NEW, BAD, WORDS(FIRST, 0x0d000000, 0x18000034)},
    {CS_alu_store, G75 | NEW, OK, WORDS(FIRST, 0x0d000000, 0x18003c31)},
    {CS_alu_store, G75 | NEW, BAD, WORDS(FIRST, 0x0d000000, 0x18004031)},
    {CS_atomic_operation, NEW, OK, WORDS(FIRST, 0x17840f09, X, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_operation, NEW, BAD, WORDS(FIRST, 0x17841009, X, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_operation, NEW, BAD, WORDS(FIRST, 0x17840009, X, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_operation, NEW, BAD, WORDS(FIRST, 0x178c0709, X, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_operation, NEW, BAD, WORDS(FIRST, 0x17942709, X, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_operation, NEW, BAD, WORDS(FIRST, 0x179c0709, X, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_length, NEW, OK, WORDS(FIRST, 0x17800501, X, 0)},
    {CS_atomic_length, NEW, BAD, WORDS(FIRST, 0x17840501, X, 0)},
    {CS_atomic_registers, NEW, OK, WORDS(FIRST, 0x17800601, X, 0)},
    {CS_atomic_registers, NEW, BAD, WORDS(FIRST, 0x17800701, X, 0)},
    {CS_atomic_align, NEW, OK, WORDS(FIRST, 0x178c2709, X + 8, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_align, NEW, BAD, WORDS(FIRST, 0x178c2709, X + 4, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_atomic_align, NEW, BAD, WORDS(FIRST, 0x17944e09, X + 8, 0, 1, 0, 0, 0, 0, 0, 0, 0)},
    {CS_semaphore_compare, NEW, OK, WORDS(FIRST, 0x0e00d002, 1, X, 0)},
    {CS_semaphore_compare, NEW, BAD, WORDS(FIRST, 0x0e00e002, 1, X, 0)},
    {CS_predicate_load, ALL, OK, WORDS(FIRST, 0x06000080)},
    {CS_predicate_load, ALL, BAD, WORDS(FIRST, 0x06000040)},
    {CS_predicate_mode, NEW, OK, WORDS(FIRST, 0x0080000f, 0x00800000)},
    {CS_predicate_mode, NEW, BAD, WORDS(FIRST, 0x00800008)},
    {CS_conditional_end, OLD, OK, WORDS(FIRST, 0x1b200001, 0, CODE_AT)},
    {CS_conditional_end, OLD, BAD, WORDS(FIRST, 0x1b000001, 0, CODE_AT)},
    {CS_conditional_end, NEW, OK, WORDS(FIRST, 0x1b200002, 0, CODE_AT, 0)},
    {CS_conditional_end, NEW, BAD, WORDS(FIRST, 0x1b000002, 0, CODE_AT, 0)},
    {CS_flush_engine, OLD, OK, BLIT(0x13004002, X, 1, 0)},
    {CS_flush_engine, OLD, BAD, WORDS(FIRST, 0x13004002, X, 1, 0)},
    {CS_flush_engine, NEW, OK, BLIT(0x13004003, X, 0, 1, 0)},
    {CS_flush_engine, NEW, BAD, WORDS(FIRST, 0x13004003, X, 0, 1, 0)},
    {CS_flush_post_sync, OLD, OK, BLIT(0x1300c002, X, 1, 0)},
    {CS_flush_post_sync, OLD, BAD, BLIT(0x13008002, X, 1, 0)},
    {CS_flush_post_sync, NEW, OK, BLIT(0x1300c003, X, 0, 1, 0)},
    {CS_flush_post_sync, NEW, BAD, BLIT(0x13204003, X, 0, 1, 0)},

    /* PIPE_CONTROL. */
    {CS_p1, OLD, OK, WORDS(FIRST, PC, 0x00100002)},
    {CS_p1, OLD, OK, WORDS(FIRST, PC, 0x00100200)}, /* observed: Mesa */
    {CS_p1, OLD, BAD, WORDS(FIRST, PC, 0x00100000)},
    {CS_p1_alone, G80, OK, WORDS(FIRST, PC, 0x00100002)},
    {CS_p1_alone, G80, WARN, WORDS(FIRST, PC, 0x00100000)},
    {CS_p2, G70, OK, WORDS(FIRST, PC, 0x20, PC, 0x20, PC, 0x20, PC, 0x00100020)},
    {CS_p2, G70, BAD, WORDS(FIRST, PC, 0x20, PC, 0x20, PC, 0x20, PC, 0x20)},
    {CS_p3, OLD | G80, OK, WORDS(AFTER_FLUSH, PC, 0x00100020, PC, 0x00100c0e)},
    {CS_p3, OLD | G80, BAD, WORDS(AFTER_WALKER, PC, 0x00000004)},
    {CS_p4, G75, OK, WORDS(AFTER_FLUSH, PC, 0x00100020, PC, 0x00101400)},
    {CS_p4, G75, BAD, WORDS(AFTER_FLUSH, PC, 0x00101420)},
    {CS_p5, G80, OK, WORDS(AFTER_FLUSH, PC, 0x00101420)},
    {CS_p5, G80, BAD, WORDS(AFTER_FLUSH, PC, 0x20)},
    {CS_p6, G90, OK, WORDS(AFTER_FLUSH, PC, 0x00100000, PC, 0x0010c000, X)},
    /* Not immediately before, but no walker runs. */
    {CS_p6, G90, OK, WORDS(AFTER_FLUSH, PC, 0x00100000, 0x11000001, 0x2600, 0, PC, 0x0010c000, X)},
    {CS_p6, G90, BAD, WORDS(AFTER_FLUSH, PC, 0x0000c000, X)},
    {CS_p6_idle, G90, OK, WORDS(BEFORE_VFE, PC, 0x00100000, PC, 0x0010c000, X)},
    {CS_p6_idle, G90, WARN, WORDS(BEFORE_VFE, PC, 0x0010c000, X)},
    {CS_p6_idle, G90, WARN, WORDS(AFTER_FLUSH, PC, 0x0010c000, X)},
    {CS_p7, G90, OK, WORDS(AFTER_FLUSH, PC, 0x00100400)},
    {CS_p7, G90, OK, WORDS(AFTER_FLUSH, PC, 0x00100020, PC, 0x400)},
    {CS_p7, G90, BAD, WORDS(AFTER_FLUSH, PC, 0x400)},
    {CS_p8, ALL, OK, WORDS(FIRST, PC, 0x00144000, X)},
    {CS_p8, OLD, BAD, WORDS(FIRST, PC, 0x00140002)},
    {CS_p8, ALL, BAD, WORDS(FIRST, PC, 0x00040000)},
    {CS_p9, ALL, OK, WORDS(FIRST, PC, 0x0010c000, X)},
    {CS_p9, ALL, BAD, WORDS(FIRST, PC, 0x0010c002, X)},
    {CS_p9, ALL, BAD, WORDS(FIRST, PC, 0x00109000, X)},
    {CS_p10, ALL, OK, WORDS(FIRST, PC, 0x00104000, X)},
    {CS_p10, ALL, BAD, WORDS(FIRST, PC, 0x00180002)},
    {CS_p10, ALL, BAD, WORDS(FIRST, PC, 0x00904000, X)},
    {CS_p11, ALL, OK, WORDS(FIRST, PC, 0x00110202)},
    {CS_p11, ALL, BAD, WORDS(FIRST, PC, 0x00010000)},
    {CS_p11, ALL, BAD, WORDS(FIRST, PC, 0x00000200)},
    {CS_p12, NEW, OK, WORDS(FIRST, PC, 0x00104010, X)},
    {CS_p12, NEW, WARN, WORDS(FIRST, PC, 0x00100012)},
    {CS_p13, G90, OK, WORDS(FIRST, PC, 0x04104000, X)},
    {CS_p13, G90, BAD, WORDS(FIRST, PC, 0x04100000)},
    {CS_p14, G70, OK, WORDS(FIRST, PC, 0x00102020)},
    {CS_p14, G70, BAD, WORDS(FIRST, PC, 0x00102001)},
    {CS_p15, ALL, OK, WORDS(FIRST, PC, 0x00101020)},
    {CS_p15, ALL, BAD, WORDS(FIRST, PC, 0x00101002)},
    {CS_pipe_parser, OLD, OK, WORDS(FIRST, PC, 0x00104000, X)},
    {CS_pipe_parser, OLD, BAD, WORDS(FIRST, PC, 0x00100102)},
    {CS_pipe_parser, OLD, BAD, WORDS(FIRST, PC, 0x01104000, X)},
    {CS_pipe_global, NEW, OK, WORDS(FIRST, PC, 0x00104100, X)},
    {CS_pipe_global, NEW, BAD, WORDS(FIRST, PC, 0x01104000, X)},
    {CS_pipe_global, NEW, BAD, WORDS(FIRST, PC, 0x00304000, X)},

    /* Pipeline, bases, media state. */
    {CS_pipeline_code, ALL, OK, SAME},
    {CS_pipeline_code, ALL, BAD, SET1(PIPELINE, 3)},
    {CS_pipeline_mask, G90, OK, WORDS(BEFORE_VFE, 0x69041010)},
    {CS_pipeline_mask, G90, BAD, WORDS(BEFORE_VFE, 0x69040102)},
    {CS_pipeline_busy, OLD | G80, OK, WORDS(AFTER_WALKER, PC, 0x00100020, 0x69040000, 0x69040002)},
    {CS_pipeline_busy, OLD | G80, BAD, WORDS(AFTER_WALKER, 0x69040000)},
    {CS_pipeline_busy, G90, OK, WORDS(AFTER_WALKER, PC, 0x00100020, 0x69040300, 0x69040302)},
    {CS_pipeline_busy, G90, BAD, WORDS(AFTER_WALKER, 0x69040300)},
    {CS_base_busy, OLD, OK,
     WORDS(AFTER_WALKER, PC, 0x00100020, 0x61010008, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    {CS_base_busy, OLD, BAD, WORDS(AFTER_WALKER, 0x61010008, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    {CS_base_busy, G80, OK,
     WORDS(AFTER_WALKER, PC, 0x00100020, 0x6101000e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    {CS_base_busy, G80, BAD,
     WORDS(AFTER_WALKER, 0x6101000e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    {CS_base_busy, G90, OK,
     WORDS(AFTER_WALKER, PC, 0x00100020, 0x61010011, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
           0, 0)},
    {CS_base_busy, G90, BAD,
     WORDS(AFTER_WALKER, 0x61010011, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    {CS_table_pool_busy, G75, OK, WORDS(FIRST, 0x79190001, 0, 0)},
    {CS_table_pool_busy, G75, BAD, WORDS(AFTER_WALKER, 0x79190001, 0, 0)},
    {CS_table_pool_busy, NEW, OK, WORDS(FIRST, 0x79190002, 0, 0, 0)},
    {CS_table_pool_busy, NEW, BAD, WORDS(AFTER_WALKER, 0x79190002, 0, 0, 0)},
    {CS_vfe_busy, OLD, OK,
     WORDS(AFTER_WALKER, PC, 0x00100020, 0x70000006, 0, 0x00000004, 0, 0, 0, 0, 0)},
    {CS_vfe_busy, OLD, BAD, WORDS(AFTER_WALKER, 0x70000006, 0, 0x00000004, 0, 0, 0, 0, 0)},
    {CS_vfe_busy, NEW, OK,
     WORDS(AFTER_WALKER, PC, 0x00100020, 0x70000007, 0, 0, 0x00000100, 0, 0, 0, 0, 0)},
    {CS_vfe_busy, NEW, BAD, WORDS(AFTER_WALKER, 0x70000007, 0, 0, 0x00000100, 0, 0, 0, 0, 0)},
    {CS_vfe_scratch, G70 | NEW, OK, SET1(VFE_SCRATCH, 11)},
    {CS_vfe_scratch, G70 | NEW, BAD, SET1(VFE_SCRATCH, 12)},
    {CS_vfe_scratch, G75, OK, SET1(VFE_SCRATCH, 10)},
    {CS_vfe_scratch, G75, BAD, SET1(VFE_SCRATCH, 11)},
    {CS_vfe_curbe_odd, ALL, OK, SET1(VFE_CURBE, 10)},
    {CS_vfe_curbe_odd, ALL, BAD, SET1(VFE_CURBE, 9)},
    {CS_vfe_curbe, ALL, OK, SET1(VFE_CURBE, 2016)},
    {CS_vfe_curbe, ALL, BAD, SET1(VFE_CURBE, 2018)},
    {CS_vfe_urb, OLD, OK, SAME},
    {CS_vfe_urb, NEW, OK, SET2(VFE_ENTRIES, 1, VFE_ENTRY_SIZE, 0x782)},
    {CS_vfe_urb, ALL, BAD, SET3(VFE_ENTRIES, 255, VFE_ENTRY_SIZE, 0x782, VFE_GPGPU, 0)},
    {CS_vfe_entries_gpgpu, OLD, OK, SET1(VFE_ENTRIES, 0)},
    {CS_vfe_entries_gpgpu, OLD, BAD, SET1(VFE_ENTRIES, 1)},
    {CS_vfe_entries, NEW, OK, SET1(VFE_ENTRIES, 1)},
    {CS_vfe_entries, NEW, BAD, SET1(VFE_ENTRIES, 0)},
    {CS_vfe_gateway, G70, OK, SAME},
    {CS_vfe_gateway, G70, BAD, SET1(VFE_MMIO, 1)},
    {CS_vfe_threads, ALL, OK, SAME},
    {CS_vfe_threads, ALL, WARN, SET1(VFE_THREADS, 1000)},
    {CS_dynamic_base, ALL, OK, SAME},
    {CS_dynamic_base, ALL, BAD, SET1(DYNAMIC_SET, 0)},
    {CS_dynamic_bound, ALL, OK, SET2(DYNAMIC_SIZE, PAGE, CURBE_OFFSET, PAGE - 256)},
    {CS_dynamic_bound, ALL, BAD, SET2(DYNAMIC_SIZE, PAGE, CURBE_OFFSET, PAGE - 224)},
    {CS_dynamic_bound, ALL, BAD, SET2(DYNAMIC_SIZE, PAGE, DESC_OFFSET, PAGE)},
    {CS_load_early, ALL, OK, WORDS(AFTER_FLUSH, 0x70010002, 0, 64, CONSTANT_OFFSET)},
    {CS_load_early, ALL, BAD, WORDS(AFTER_WALKER, 0x70010002, 0, 64, CONSTANT_OFFSET)},
    {CS_load_early, ALL, BAD, WORDS(AFTER_WALKER, 0x70020002, 0, 32, DESCRIPTOR_OFFSET)},
    {CS_curbe_vfe, ALL, OK, SAME},
    {CS_curbe_vfe, ALL, BAD, SET1(VFE_SKIP, 1)},
    {CS_curbe_vfe, ALL, BAD,
     WORDS(BEFORE_WALKER, PC, 0x00110002, 0x70010002, 0, 64, CONSTANT_OFFSET)},
    {CS_curbe_length, ALL, OK, SET2(CURBE_LENGTH, 288, VFE_CURBE, 10)},
    {CS_curbe_length, ALL, BAD, SET1(CURBE_LENGTH, 40)},
    {CS_curbe_length, ALL, BAD, SET1(CURBE_LENGTH, 0)},
    {CS_curbe_allocated, ALL, OK, SET1(CURBE_LENGTH, 256)},
    {CS_curbe_allocated, ALL, BAD, SET1(CURBE_LENGTH, 288)},
    {CS_curbe_align, ALL, OK, SET1(CURBE_OFFSET, CONSTANT_OFFSET + 32)},
    {CS_curbe_align, ALL, BAD, SET1(CURBE_OFFSET, CONSTANT_OFFSET + 16)},
    {CS_descriptor_length, ALL, OK, SET1(DESC_LENGTH, 64)},
    {CS_descriptor_length, ALL, BAD, SET1(DESC_LENGTH, 40)},
    {CS_descriptor_length, ALL, BAD, SET1(DESC_LENGTH, 65 * 32)},
    {CS_descriptor_align, ALL, OK, SET1(DESC_OFFSET, DESCRIPTOR_OFFSET)},
    {CS_descriptor_align, ALL, BAD, SET1(DESC_OFFSET, DESCRIPTOR_OFFSET + 32)},

    /* The walker. */
    {CS_walker_pipeline, ALL, OK, SAME},
    {CS_walker_pipeline, ALL, BAD, SET1(PIPELINE, CMD_PIPELINE_3D)},
    {CS_walker_pipeline, ALL, BAD, SET1(PIPELINE, CMD_PIPELINE_MEDIA)},
    {CS_walker_vfe, ALL, OK, SAME},
    {CS_walker_vfe, ALL, BAD, SET2(VFE_SKIP, 1, CURBE_SKIP, 1)},
    {CS_walker_vfe, ALL, BAD, WORDS(BEFORE_WALKER, PC, 0x00110002)},
    {CS_walker_mode, OLD, OK, SET1(VFE_GPGPU, 1)},
    {CS_walker_mode, OLD, BAD, SET1(VFE_GPGPU, 0)},
    {CS_walker_descriptors, ALL, OK, SAME},
    {CS_walker_descriptors, ALL, BAD, SET1(DESC_SKIP, 1)},
    {CS_walker_bases, ALL, OK, SAME},
    {CS_walker_bases, ALL, BAD, SET1(SURFACE_SET, 0)},
    {CS_walker_index, ALL, OK, SET2(W_INDEX, 1, DESC_LENGTH, 64)},
    {CS_walker_index, ALL, BAD, SET1(W_INDEX, 1)},
    {CS_walker_simd, ALL, OK, SET1(W_SIMD, 2)},
    {CS_walker_simd, ALL, BAD, SET1(W_SIMD, 3)},
    {CS_walker_right_mask, ALL, OK, SET1(W_RIGHT, 0xffff8000)},
    {CS_walker_right_mask, ALL, BAD, SET1(W_RIGHT, 0xffff0000)},
    {CS_walker_bottom_mask, ALL, OK, SET1(W_BOTTOM, 1)},
    {CS_walker_bottom_mask, ALL, BAD, SET1(W_BOTTOM, 0)},
    {CS_walker_empty, OLD, OK, SET1(W_END_X, 1)},
    {CS_walker_empty, OLD, BAD, SET1(W_END_X, 0)},
    {CS_walker_empty, OLD, BAD, SET1(W_END_Y, 0)},
    {CS_walker_start, OLD, OK, SAME},
    {CS_walker_start, OLD, WARN, SET1(W_START_X, 1)},
    {CS_walker_threads, ALL, OK, SET3(W_WIDTH, 15, D_THREADS, 16, D_PER, 0)},
    {CS_walker_threads, OLD, OK, SET1(D_THREADS, 0)},
    {CS_walker_threads, ALL, BAD, SET1(D_THREADS, 3)},
    {CS_walker_threads, NEW, BAD, SET1(D_THREADS, 0)},
    {CS_walker_threads, OLD, BAD, SET3(D_THREADS, 0, D_BARRIER, 1, L3_SLM, 1)},
    {CS_walker_group, ALL, OK, SET3(W_WIDTH, 55, D_THREADS, 56, D_PER, 0)},
    {CS_walker_group, ALL, BAD, SET4(W_WIDTH, 63, W_HEIGHT, 1, D_THREADS, 128, D_PER, 0)},
    {CS_walker_kernel, ALL, OK, SET1(INSTRUCTION_SIZE, PAGE)},
    {CS_walker_kernel, ALL, BAD, SET2(INSTRUCTION_SIZE, PAGE, D_KERNEL, PAGE)},
    {CS_walker_slm_size, ALL, OK, SET2(D_SLM, 4, L3_SLM, 1)},
    {CS_walker_slm_size, OLD | G80, BAD, SET2(D_SLM, 3, L3_SLM, 1)},
    {CS_walker_slm_size, G90, BAD, SET2(D_SLM, 8, L3_SLM, 1)},
    {CS_walker_slm, ALL, OK, SET3(D_SLM, 1, D_BARRIER, 1, L3_SLM, 1)},
    {CS_walker_slm, OLD, OK, SET1(D_SLM, 1)}, /* Gen7 drivers ask for 4 KiB that no kernel uses */
    {CS_walker_slm, ALL, BAD, SET2(D_SLM, 1, D_BARRIER, 1)},
    {CS_walker_slm, NEW, BAD, SET1(D_SLM, 1)},
    {CS_walker_barrier, G90, OK, SET2(D_BARRIER, 1, L3_SLM, 1)},
    {CS_walker_barrier, G90, BAD, SET2(D_GLOBAL_BARRIER, 1, L3_SLM, 1)},
    {CS_walker_registers, ALL, OK,
     SET5(D_PER, 127, W_WIDTH, 0, D_THREADS, 1, VFE_CURBE, 128, CURBE_LENGTH, 4064)},
    {CS_walker_registers, ALL, BAD, SET1(D_PER, 128)},
    {CS_walker_constants, ALL, OK, SET2(D_PER, 1, D_READ_OFFSET, 4)},
    {CS_walker_constants, G75 | NEW, OK, SET2(D_CROSS, 4, D_PER, 1)},
    {CS_walker_constants, ALL, BAD, SET2(D_PER, 1, D_READ_OFFSET, 5)},
    {CS_walker_constants, ALL, BAD, SET2(W_WIDTH, 4, D_THREADS, 5)},
    {CS_walker_constants, ALL, BAD, SET1(CURBE_SKIP, 1)},
    {CS_walker_constants, G75 | NEW, BAD, SET2(D_CROSS, 5, D_PER, 1)},
    {CS_indirect_align, NEW, OK, SET2(W_IND_LENGTH, 256, CURBE_SKIP, 1)},
    {CS_indirect_align, NEW, BAD, SET1(W_IND_LENGTH, 288)},
    {CS_indirect_room, NEW, OK, SET1(W_IND_LENGTH, PAGE)},
    {CS_indirect_room, NEW, BAD, SET1(W_IND_LENGTH, 0x1ffc0)},
    {CS_indirect_short, NEW, OK, SET1(W_IND_LENGTH, 256)},
    {CS_indirect_short, NEW, BAD, SET1(W_IND_LENGTH, 192)},
    {CS_indirect_cross, NEW, OK, SET3(W_IND_LENGTH, 256, D_CROSS, 4, D_PER, 1)},
    {CS_indirect_cross, NEW, BAD, SET3(W_IND_LENGTH, 256, D_CROSS, 8, D_PER, 0)},
    {CS_indirect_base, NEW, OK, SET1(INDIRECT_SET, 0)},
    {CS_indirect_base, NEW, BAD, SET2(INDIRECT_SET, 0, W_IND_LENGTH, 256)},
    {CS_indirect_bound, NEW, OK,
     SET3(INDIRECT_SIZE, PAGE, W_IND_LENGTH, 256, W_IND_OFFSET, PAGE - 256)},
    {CS_indirect_bound, NEW, BAD,
     SET3(INDIRECT_SIZE, PAGE, W_IND_LENGTH, 256, W_IND_OFFSET, PAGE - 192)},

    /* The copy engine. */
    {CS_blit_rectangle, OLD, OK, BLIT(0x54300004, 0x03f00040, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_rectangle, OLD, BAD, BLIT(0x54300004, 0x03f00040, 5, 0x00020004, DATA_AT, 7)},
    {CS_blit_rectangle, NEW, OK, BLIT(0x54300005, 0x03f00040, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_rectangle, NEW, BAD, BLIT(0x54300005, 0x03f00040, 5, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_clip, OLD, OK, BLIT(0x54300004, 0x03f00040, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_clip, OLD, BAD, BLIT(0x54300004, 0x43f00040, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_clip, NEW, OK, BLIT(0x54300005, 0x03f00040, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_clip, NEW, BAD, BLIT(0x54300005, 0x43f00040, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_pitch, OLD, OK, BLIT(0x54300804, 0x03f00080, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_pitch, OLD, BAD, BLIT(0x54300804, 0x03f00040, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_pitch, OLD, BAD, BLIT(0x54300004, 0x03f00042, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_pitch, NEW, OK, BLIT(0x54300805, 0x03f00080, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_pitch, NEW, BAD, BLIT(0x54300805, 0x03f00040, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_pitch, NEW, BAD, BLIT(0x54300005, 0x03f00042, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_base, OLD, OK, BLIT(0x54300804, 0x03f00080, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_base, OLD, BAD, BLIT(0x54300804, 0x03f00080, 0, 0x00020004, X, 7)},
    {CS_blit_base, NEW, OK, BLIT(0x54300805, 0x03f00080, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_base, NEW, BAD, BLIT(0x54300805, 0x03f00080, 0, 0x00020004, X, 0, 7)},
    {CS_blit_operand, OLD, OK, BLIT(0x54300004, 0x035a0040, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_operand, OLD, BAD, BLIT(0x54300004, 0x03cc0040, 0, 0x00020004, DATA_AT, 7)},
    {CS_blit_operand, NEW, OK, BLIT(0x54300005, 0x035a0040, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_operand, NEW, BAD, BLIT(0x54300005, 0x03cc0040, 0, 0x00020004, DATA_AT, 0, 7)},
    {CS_blit_operand, OLD, BAD,
     BLIT(0x54f00006, 0x03f00040, 0, 0x00020004, DATA_AT, 0, 0x40, STATE_AT)},
    {CS_blit_tiling, G90, OK,
     BLIT(0x50804008, 0x03000020, 0, 0x00020004, DATA_AT, 0, 0, 0x40, STATE_AT, 0)},
    {CS_blit_tiling, G90, BAD,
     BLIT(0x50806008, 0x03000020, 0, 0x00020004, DATA_AT, 0, 0, 0x40, STATE_AT, 0)},
    {CS_blit_tiling, G90, BAD,
     BLIT(0x50804008, 0x43000020, 0, 0x00020004, DATA_AT, 0, 0, 0x40, STATE_AT, 0)},
    {CS_blit_depth, G90, OK,
     BLIT(0x50800008, 0x05000040, 0, 0x00020004, DATA_AT, 0, 0, 0x40, STATE_AT, 0)},
    {CS_blit_depth, G90, BAD,
     BLIT(0x50800008, 0x06000040, 0, 0x00020004, DATA_AT, 0, 0, 0x40, STATE_AT, 0)},
};

/* ---- running them ---- */
static bool seen[CS_N_RULES][4][2]; /* by generation: kept, broken */

static void run_row(const struct row *r, unsigned column)
{
    const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 20000};
    /* A fresh device: warnings come once. */
    struct sim_gpu *usual_gpu = gpu;
    gpu = sim_gpu_new(dev, &opt);
    struct sim_context *ctx = sim_context_new(gpu);
    struct sim_fault fault;
    char tag[64];
    const char *name = cs_rule_name(r->rule);
    memset(data, 0, PAGE);
    gpu_addr at = build(&r->change);
    if (r->copy_engine) {
        out = (uint32_t *)batch;
        put_words(&r->change, FIRST);
        put(CMD_MI_BATCH_BUFFER_END);
    }
    bool ok = run_at(ctx, r->copy_engine, at, &fault);
    snprintf(tag, sizeof tag, "[%s]", name);
    size_t row = r - rows;
    if (r->verdict == BAD)
        CHECKF(!ok && strstr(fault.text, tag), "%s: row %zu, %s: %s", dev->name, row, name,
               ok ? "accepted" : fault.text);
    else
        CHECKF(ok, "%s: row %zu, %s: rejected: %s", dev->name, row, name, fault.text);
    if (r->verdict != BAD) {
        CHECKF(r->copy_engine || *(uint64_t *)data == TAG, "%s: row %zu, %s: no tag", dev->name,
               row, name);
        CHECKF(sim_warned(gpu, name) == (r->verdict == WARN), "%s: row %zu, %s: %s", dev->name, row,
               name, r->verdict == WARN ? "no warning" : "a warning");
    }
    seen[r->rule][column][r->verdict != OK] = true;
    sim_context_free(ctx);
    sim_gpu_free(gpu);
    gpu = usual_gpu;
}

static void check_complete(void)
{
    static const struct {
        int first, last;
        bool warns;
    } rules[CS_N_RULES] = {
#define CS_RULE(name, first, last, text) {first, last, false},
#define CS_WARN(name, first, last, text) {first, last, true},
#include "sim/hw/cs_rule.def"
#undef CS_RULE
#undef CS_WARN
    };
    static const int gens[4] = {70, 75, 80, 90};
    for (unsigned i = 0; i < CS_N_RULES; i++) {
        for (unsigned g = 0; g < 4; g++) {
            bool has = gens[g] >= rules[i].first && gens[g] <= rules[i].last;
            CHECKF(seen[i][g][0] == has && seen[i][g][1] == has, "%s on generation %d: %s%s",
                   cs_rule_name(i), gens[g], seen[i][g][0] ? "kept " : "",
                   seen[i][g][1] ? "broken" : "");
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECKF((rows[i].verdict == WARN) <= rules[rows[i].rule].warns, "row %zu", i);
}

int main(void)
{
    static const char *const devices[4] = {"ivb-gt2", "hsw-gt2", "bdw-gt2", "skl-gt2"};
    for (unsigned g = 0; g < 4; g++) {
        const struct sim_options opt = {.n_host_threads = 1, .insn_limit = 20000};
        rig_begin(devices[g], &opt);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            if (rows[i].gens >> g & 1)
                run_row(&rows[i], g);
        }
        rig_end();
    }
    check_complete();
    return utest_end();
}
