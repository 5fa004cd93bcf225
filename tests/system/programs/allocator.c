/* allocator [ROUNDS]: allocates and frees from functions whose names can be looked for, and says
 * what it did as "allocated BYTES kept BYTES". */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 512, SMALL_BYTES = 200, LARGE_BYTES = 5000, KEPT_BYTES = 100000 };

static uint64_t allocated_bytes, kept_bytes;
static void *volatile sink;

__attribute__((noinline)) static void *allocate_small(void)
{
    void *memory = malloc(SMALL_BYTES);
    memset(memory, 1, SMALL_BYTES);
    allocated_bytes += SMALL_BYTES;
    return memory;
}

__attribute__((noinline)) static void *allocate_large(void)
{
    void *memory = calloc(10, LARGE_BYTES / 10);
    allocated_bytes += LARGE_BYTES;
    sink = memory;
    return memory;
}

/* Never freed. */
__attribute__((noinline)) static void keep(void)
{
    void **memory = malloc(KEPT_BYTES);
    static void *last;
    *memory = last;
    last = memory;
    sink = last;
    allocated_bytes += KEPT_BYTES;
    kept_bytes += KEPT_BYTES;
}

__attribute__((noinline)) static void release(void *memory)
{
    free(memory);
    sink = NULL;
}

__attribute__((noinline)) static void *grow(void *memory)
{
    memory = realloc(memory, 2 * SMALL_BYTES);
    allocated_bytes += 2 * SMALL_BYTES;
    sink = memory;
    return memory;
}

static void round_of_many(void)
{
    static void *small[PIECES], *large[PIECES];
    for (int i = 0; i < PIECES; i++) {
        small[i] = grow(allocate_small());
        large[i] = allocate_large();
    }
    keep();
    for (int i = 0; i < PIECES; i++) {
        release(small[i]);
        release(large[i]);
    }
}

/* Of one thread and freed by another. */
static void *free_elsewhere(void *memory)
{
    release(memory);
    return NULL;
}

static void hand_over(void)
{
    enum { HANDED_BYTES = 20 * 1024 * 1024 };
    pthread_t thread;
    void *memory = malloc(HANDED_BYTES);
    allocated_bytes += HANDED_BYTES;
    sink = memory;
    if (pthread_create(&thread, NULL, free_elsewhere, memory) == 0)
        pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < rounds; i++)
        round_of_many();
    hand_over();
    printf("allocated %llu kept %llu\n", (unsigned long long)allocated_bytes,
           (unsigned long long)kept_bytes);
    return 0;
}
