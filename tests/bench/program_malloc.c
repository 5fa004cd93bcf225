/* program_malloc WHAT: what the hooks of malloc cost, against the same calls of the same allocator
 * past them. WHAT: idle, memory or nativeallocs, as the session has it. Run under `profctl run`
 * with that feature (idle: with libprofd-malloc.so preloaded by hand and another one). */
#include <dlfcn.h>
#include <string.h>

#include "tests/bench/bench.h"

enum { ITERATIONS = 2000000, LIVE = 4096, MAX_BYTES = 1024 };

static void *(*real_malloc)(size_t bytes);
static void (*real_free)(void *memory);

/* Volatile, so that both ways are calls through a pointer. */
static void *(*volatile current_malloc)(size_t bytes);
static void (*volatile current_free)(void *memory);

static double pair_cost(void)
{
    double start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < ITERATIONS; i++) {
        void *memory = current_malloc(64);
        BENCH_BARRIER();
        current_free(memory);
    }
    return (bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / ITERATIONS;
}

/* A program that does little but allocate: objects of mixed sizes that live for a while, each
 * filled once. */
static double program_cost(void)
{
    static void *live[LIVE];
    uint32_t random = 12345;
    double start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < ITERATIONS / 4; i++) {
        random = random * 1664525 + 1013904223;
        void **place = &live[(random >> 8) % LIVE];
        size_t bytes = 16 + (random >> 20) % MAX_BYTES;
        current_free(*place);
        *place = current_malloc(bytes);
        memset(*place, i, bytes);
    }
    for (int i = 0; i < LIVE; i++) {
        current_free(live[i]);
        live[i] = NULL;
    }
    return (bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / (ITERATIONS / 4.0);
}

static void go_by_hooks(void)
{
    current_malloc = malloc;
    current_free = free;
}

static void go_past_hooks(void)
{
    current_malloc = real_malloc;
    current_free = real_free;
}

static double hooked_pair(void)
{
    go_by_hooks();
    return pair_cost();
}

static double real_pair(void)
{
    go_past_hooks();
    return pair_cost();
}

static double hooked_program(void)
{
    go_by_hooks();
    return program_cost();
}

static double real_program(void)
{
    go_past_hooks();
    return program_cost();
}

/* The two must not be the same functions. */
static int find_real(void)
{
    void *library = dlopen("libc.so.6", RTLD_LAZY);
    if (library == NULL)
        return -1;
    real_malloc = (void *(*)(size_t))dlsym(library, "malloc");
    real_free = (void (*)(void *))dlsym(library, "free");
    return real_malloc == NULL || real_free == NULL || real_malloc == malloc ? -1 : 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (find_real() < 0) {
        fprintf(stderr, "program_malloc: libprofd-malloc.so is not there\n");
        return 1;
    }
    struct bench_pair pair = bench_pair(hooked_pair, real_pair);
    if (strcmp(what, "idle") == 0)
        bench_figure("malloc and free, hooks that nobody asks, above bare", pair.difference, "ns",
                     4);
    else if (strcmp(what, "memory") == 0)
        bench_figure("malloc and free with memory, above bare", pair.difference, "ns", 10);
    else
        bench_figure("a program that allocates, nativeallocs / bare",
                     bench_pair(hooked_program, real_program).ratio, "x", 1.05);
    bench_value("pair_ns", pair.measured);
    bench_value("bare_pair_ns", pair.reference);
    return 0;
}
