/* The sampler's own CPU use while one thread is busy 40 frames deep. Run under `profctl run` at 1
 * ms. */
#include "tests/bench/bench.h"
#include "tests/bench/deep.h"
#include "tests/bench/own_threads.h"

static struct deep_node pool[DEEP_POOL];
static struct deep_node *tree;

/* Share of a CPU in percent, over half a second. */
static double sampler_share(void)
{
    double start = bench_now_ns(), cpu = threads_cpu_ns("profd");
    while (bench_now_ns() < start + 500e6)
        deep_sink += deep_evaluate(tree);
    return 100 * (threads_cpu_ns("profd") - cpu) / (bench_now_ns() - start);
}

int main(void)
{
    unsigned used = 0;
    double shares[BENCH_ROUNDS];
    tree = deep_tree(pool, &used, DEEP_LEVELS, 1);
    sampler_share();
    for (int i = 0; i < BENCH_ROUNDS; i++)
        shares[i] = sampler_share();
    bench_figure("sampler's CPU at 1 ms, a thread of 40 frames", bench_median(shares, BENCH_ROUNDS),
                 "%", 2);
    return 0;
}
