/* A thread that evaluates deep expressions for SECONDS: program_deep [SECONDS]. */
#include "tests/bench/bench.h"
#include "tests/bench/deep.h"

int main(int argc, char **argv)
{
    static struct deep_node pool[DEEP_POOL];
    unsigned used = 0;
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
    struct deep_node *tree = deep_tree(pool, &used, DEEP_LEVELS, 1);
    double end = bench_now_ns() + seconds * 1e9;
    while (bench_now_ns() < end)
        deep_sink += deep_evaluate(tree);
    return 0;
}
