/* What a frame costs to unwind from the copy of a stack: by the unwinder, and by libunwind's cursor
 * alone.
 *
 * The stacks are of 40 frames of real code: 240 functions of different frame layouts, without frame
 * pointers, that call each other in random order. Prints "name ratio limit verdict", the ratio
 * being good up to the limit. The status is 0 unless something doesn't work. */
#pragma GCC optimize("omit-frame-pointer")

#include <alloca.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/take_snapshot.h"

enum {
    FUNCTIONS = 240,
    DEPTH = 40,
    STACKS = 50,
    ROUNDS = 15,
    WALKS_OF_CACHE = 2000,
    WALKS_OF_REFERENCE = 50,
    ALLOWED_NS = 60,
};

struct path {
    uint8_t next[DEPTH];
    struct snapshot_copy *snapshot;
};

typedef uint64_t function(const struct path *path, uint64_t depth, uint64_t a, uint64_t b);
static function *functions[FUNCTIONS];
static volatile uint64_t sink; /* keeps the calls alive */

static uint64_t descend_path(const struct path *path, uint64_t depth, uint64_t a, uint64_t b)
{
    if (depth == DEPTH) {
        take_snapshot(path->snapshot);
        return a + b;
    }
    return functions[path->next[depth]](path, depth + 1, a, b);
}

/* Each kind keeps something else over the call: few registers, many, an array, a block of unknown
 * size, or an aligned array. */
#define KEEPS_FEW(N)                                                                               \
    __attribute__((noinline, noclone)) static uint64_t few_##N(                                    \
        const struct path *path, uint64_t depth, uint64_t a, uint64_t b)                           \
    {                                                                                              \
        return descend_path(path, depth, a + 0x##N, b) * 3;                                        \
    }
#define KEEPS_MANY(N)                                                                              \
    __attribute__((noinline, noclone)) static uint64_t many_##N(                                   \
        const struct path *path, uint64_t depth, uint64_t a, uint64_t b)                           \
    {                                                                                              \
        uint64_t c = a * 0x##N, d = b ^ a, e = a - b;                                              \
        uint64_t result = descend_path(path, depth, c, d);                                         \
        return result + c * d + e + a + b;                                                         \
    }
#define KEEPS_ARRAY(N)                                                                             \
    __attribute__((noinline, noclone)) static uint64_t array_##N(                                  \
        const struct path *path, uint64_t depth, uint64_t a, uint64_t b)                           \
    {                                                                                              \
        volatile uint64_t array[1 + 0x##N % 13];                                                   \
        array[0] = a;                                                                              \
        array[0x##N % 13] = b;                                                                     \
        return descend_path(path, depth, a, b) + array[0] + array[0x##N % 13] + depth;             \
    }
#define KEEPS_BLOCK(N)                                                                             \
    __attribute__((noinline, noclone)) static uint64_t block_##N(                                  \
        const struct path *path, uint64_t depth, uint64_t a, uint64_t b)                           \
    {                                                                                              \
        volatile uint8_t *block = alloca(16 + (a & 31));                                           \
        block[0x##N % 16] = (uint8_t)b;                                                            \
        return descend_path(path, depth, a, b) + block[0x##N % 16];                                \
    }
#define KEEPS_ALIGNED(N)                                                                           \
    __attribute__((noinline, noclone)) static uint64_t aligned_##N(                                \
        const struct path *path, uint64_t depth, uint64_t a, uint64_t b)                           \
    {                                                                                              \
        _Alignas(32) volatile uint64_t array[4];                                                   \
        array[0x##N % 4] = a;                                                                      \
        return descend_path(path, depth, a, b ^ 0x##N) + array[0x##N % 4];                         \
    }

#define SIXTEEN(KIND, N)                                                                           \
    KIND(N##0)                                                                                     \
    KIND(N##1)                                                                                     \
    KIND(N##2)                                                                                     \
    KIND(N##3)                                                                                     \
    KIND(N##4)                                                                                     \
    KIND(N##5)                                                                                     \
    KIND(N##6)                                                                                     \
    KIND(N##7)                                                                                     \
    KIND(N##8) KIND(N##9) KIND(N##a) KIND(N##b) KIND(N##c) KIND(N##d) KIND(N##e) KIND(N##f)
#define NAMES(KIND, N)                                                                             \
    KIND##N##0, KIND##N##1, KIND##N##2, KIND##N##3, KIND##N##4, KIND##N##5, KIND##N##6,            \
        KIND##N##7, KIND##N##8, KIND##N##9, KIND##N##a, KIND##N##b, KIND##N##c, KIND##N##d,        \
        KIND##N##e, KIND##N##f

/* Of 15 groups one realigns its stack, one has blocks of unknown size: more than in most programs.
 */
SIXTEEN(KEEPS_FEW, 1)
SIXTEEN(KEEPS_FEW, 2)
SIXTEEN(KEEPS_FEW, 3)
SIXTEEN(KEEPS_FEW, 4)
SIXTEEN(KEEPS_MANY, 1)
SIXTEEN(KEEPS_MANY, 2)
SIXTEEN(KEEPS_MANY, 3)
SIXTEEN(KEEPS_MANY, 4)
SIXTEEN(KEEPS_ARRAY, 1)
SIXTEEN(KEEPS_ARRAY, 2)
SIXTEEN(KEEPS_ARRAY, 3)
SIXTEEN(KEEPS_ARRAY, 4)
SIXTEEN(KEEPS_ARRAY, 5)
SIXTEEN(KEEPS_BLOCK, 1)
SIXTEEN(KEEPS_ALIGNED, 1)

static function *functions[FUNCTIONS] = {
    NAMES(few_, 1),   NAMES(few_, 2),   NAMES(few_, 3),   NAMES(few_, 4),   NAMES(many_, 1),
    NAMES(many_, 2),  NAMES(many_, 3),  NAMES(many_, 4),  NAMES(array_, 1), NAMES(array_, 2),
    NAMES(array_, 3), NAMES(array_, 4), NAMES(array_, 5), NAMES(block_, 1), NAMES(aligned_, 1),
};

static struct snapshot_copy *snapshots[STACKS];
static struct unwind_frame frames[UNWIND_MAX_FRAMES];
static struct unwind_frame expected[UNWIND_MAX_FRAMES];

/* Of this thread: what else runs on the machine doesn't count. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool take_stacks(void)
{
    uint64_t random = 88172645463325252;
    for (int i = 0; i < STACKS; i++) {
        struct path path;
        snapshots[i] = aligned_alloc(64, sizeof(*snapshots[i]));
        if (snapshots[i] == NULL)
            return false;
        path.snapshot = snapshots[i];
        for (int depth = 0; depth < DEPTH; depth++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            path.next[depth] = (uint8_t)(random % FUNCTIONS);
        }
        sink += descend_path(&path, 0, random, 1);
    }
    return true;
}

static bool is_right(struct unwinder *unwinder, struct libunwind_cursor *libunwind)
{
    for (int i = 0; i < STACKS; i++) {
        bool is_complete = false;
        size_t count = unwinder_walk(unwinder, &snapshots[i]->snapshot, 0, frames,
                                     UNWIND_MAX_FRAMES, &is_complete);
        size_t reference =
            libunwind_cursor_walk(libunwind, &snapshots[i]->snapshot, expected, UNWIND_MAX_FRAMES);
        if (!is_complete || count < DEPTH || count != reference)
            return false;
        for (size_t j = 0; j < count; j++) {
            if (frames[j].address != expected[j].address ||
                frames[j].stack_address != expected[j].stack_address)
                return false;
        }
    }
    return true;
}

/* Nanoseconds a frame. */
static double measure_cache(struct unwinder *unwinder)
{
    uint64_t frames_walked = 0, start = now_ns();
    for (int i = 0; i < WALKS_OF_CACHE; i++) {
        bool is_complete;
        frames_walked += unwinder_walk(unwinder, &snapshots[i % STACKS]->snapshot, 0, frames,
                                       UNWIND_MAX_FRAMES, &is_complete);
    }
    return (double)(now_ns() - start) / (double)frames_walked;
}

static double measure_reference(struct libunwind_cursor *libunwind)
{
    uint64_t frames_walked = 0, start = now_ns();
    for (int i = 0; i < WALKS_OF_REFERENCE; i++)
        frames_walked += libunwind_cursor_walk(libunwind, &snapshots[i % STACKS]->snapshot,
                                               expected, UNWIND_MAX_FRAMES);
    return (double)(now_ns() - start) / (double)frames_walked;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), compare_doubles);
    return values[ROUNDS / 2];
}

static void report_ratio(const char *name, double ratio, double limit)
{
    printf("%s %.3f %.3f %s\n", name, ratio, limit, ratio <= limit ? "ok" : "over");
}

int main(void)
{
    struct module_map *modules = NULL;
    struct unwinder *unwinder = NULL;
    struct libunwind_cursor *libunwind = NULL;
    double cached_ns[ROUNDS], reference_ns[ROUNDS], ratios[ROUNDS];
    if (module_map_create(NULL, &modules) != 0 || unwinder_create(modules, &unwinder) != 0 ||
        libunwind_cursor_create(modules, &libunwind) != 0 || !take_stacks() ||
        !is_right(unwinder, libunwind)) {
        fprintf(stderr, "bench_unwind: the unwinder and libunwind do not agree\n");
        return 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        cached_ns[i] = measure_cache(unwinder);
        reference_ns[i] = measure_reference(libunwind);
        ratios[i] = cached_ns[i] / reference_ns[i];
    }
    double cached = median(cached_ns);
    fprintf(stderr, "bench_unwind: %.1f ns a frame, libunwind %.1f ns\n", cached,
            median(reference_ns));
    report_ratio("unwind_frame_to_libunwind_frame", median(ratios), 1.0 / 6);
    report_ratio("unwind_frame_to_60ns", cached / ALLOWED_NS, 1.0);
    libunwind_cursor_destroy(libunwind);
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
    return 0;
}
