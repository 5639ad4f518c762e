/* From a graph of blocks to the structured layout of ir.h. Knows neither LLVM nor Gen IR, so
 * passes.c can ask it whether a function needs LLVM's structuriser, and from_llvm.c builds what it
 * says. */
#ifndef BACKEND_CFG_H
#define BACKEND_CFG_H

#include <stdbool.h>
#include <stdint.h>

struct cfg_node {
    int succ[2];    /* node numbers; of a conditional branch: where true, where false */
    uint8_t n_succ; /* 0: return or unreachable; two equal successors count as one */
    bool is_return; /* n_succ 0: ret, not unreachable */
};

enum cfg_term { CFG_JUMP, CFG_BRANCH, CFG_LOOP, CFG_BREAK, CFG_LEAVE, CFG_END };

/* A block of the layout: ir.h says what the terms mean. */
struct cfg_block {
    int node; /* its content; -1: an empty block that structure needs (only phis) */
    enum cfg_term term;
    bool negate;  /* BRANCH, LOOP, BREAK: the condition is the node's, negated */
    bool endless; /* LOOP: the condition is true */
    int succ[2];  /* indices of blocks; -1: none */
    int merge;
};

struct cfg_layout {
    struct cfg_block *blocks; /* from the build's arena */
    int n_blocks;
    /* where there is no structure: a node, if one is to blame, that had one if these predecessors
     * had a copy of it */
    int shared, *from, n_from;
};

/* Node 0 is the entry. False, *why set, if the graph is not structured: an if whose arms are
 * entered from elsewhere, a loop with several latches, or one that is left to several places. Nodes
 * that can't be reached are left out. */
bool cfg_structure(const struct cfg_node *nodes, int n_nodes, struct cfg_layout *out,
                   const char **why);

#endif
