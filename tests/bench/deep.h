/* A busy thread with a deep stack: an interpreter of nested expressions, 40 frames when it
 * computes. */
#ifndef TESTS_BENCH_DEEP_H
#define TESTS_BENCH_DEEP_H

#include <stdint.h>
#include <string.h>

enum { DEEP_FRAMES = 40, DEEP_LOCALS_BYTES = 8 * 1024 / DEEP_FRAMES - 64 };

static volatile uint64_t deep_sink;

/* Calls WORK with ARGUMENT below FRAMES frames that hold 8 KB of stack together. */
static __attribute__((noinline, unused)) uint64_t
deep_call(int frames, uint64_t (*work)(void *argument), void *argument)
{
    volatile char locals[DEEP_LOCALS_BYTES];
    locals[0] = (char)frames;
    uint64_t result = frames > 1 ? deep_call(frames - 1, work, argument) : work(argument);
    return result + (uint64_t)locals[0];
}

struct deep_node {
    int kind; /* or a number */
    struct deep_node *left, *right;
};

static uint64_t deep_add(const struct deep_node *node);
static uint64_t deep_multiply(const struct deep_node *node);
static uint64_t deep_mix(const struct deep_node *node);

static __attribute__((noinline)) uint64_t deep_evaluate(const struct deep_node *node)
{
    switch (node->kind) {
    case '+':
        return deep_add(node) + 1;
    case '*':
        return deep_multiply(node) + 1;
    case '^':
        return deep_mix(node) + 1;
    default:
        for (int i = 0; i < 200; i++)
            deep_sink += deep_sink * 31 + (uint64_t)i;
        return (uint64_t)node->kind;
    }
}

static __attribute__((noinline)) uint64_t deep_add(const struct deep_node *node)
{
    uint64_t left = deep_evaluate(node->left);
    return left + deep_evaluate(node->right);
}

static __attribute__((noinline)) uint64_t deep_multiply(const struct deep_node *node)
{
    uint64_t left = deep_evaluate(node->left);
    return left * deep_evaluate(node->right);
}

static __attribute__((noinline)) uint64_t deep_mix(const struct deep_node *node)
{
    uint64_t left = deep_evaluate(node->left);
    return left << 1 ^ deep_evaluate(node->right);
}

/* A tree whose evaluation is DEEP_FRAMES frames deep most of the time: each level is two. */
static __attribute__((unused)) struct deep_node *deep_tree(struct deep_node *pool, unsigned *used,
                                                           int levels, unsigned salt)
{
    static const char operators[] = "+*^";
    struct deep_node *node = &pool[(*used)++];
    if (levels == 0) {
        *node = (struct deep_node){ (int)(salt % 31), NULL, NULL };
        return node;
    }
    node->kind = operators[salt % 3];
    /* Mostly a comb, so that it is deep without being huge; branches where the salt says. */
    node->left = deep_tree(pool, used, levels > 9 ? 0 : levels - 1, salt * 7 + 1);
    node->right = deep_tree(pool, used, levels - 1, salt * 11 + 5);
    return node;
}

enum { DEEP_LEVELS = (DEEP_FRAMES - 3) / 2, DEEP_POOL = 1 << 12 };

#endif
