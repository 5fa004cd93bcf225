/* Functions whose CPU time is known: each call is long enough (tens of microseconds at least) that
 * reading the thread's CPU clock around it costs next to nothing, and what a reading takes is
 * not booked to the function.
 *
 * struct known_thread: belongs to one thread at a time. */
#ifndef TESTS_KNOWN_FUNCTIONS_H
#define TESTS_KNOWN_FUNCTIONS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum known_function {
    MIX_INTEGERS,
    DIVIDE_REALS,
    CHASE_LINKS,
    CALL_ITSELF,
    SORT_NUMBERS,
    COUNT_BITS,
    READ_ZEROES,
    KNOWN_FUNCTIONS
};

struct known_thread {
    pid_t tid;
    char name[16];
    uint64_t cpu_ns[KNOWN_FUNCTIONS]; /* true */
    uint64_t calls[KNOWN_FUNCTIONS];
    uint64_t all_cpu_ns; /* of the thread, when it ended */
    uint64_t random;     /* state */
};

enum { LINKS = 1 << 14, NUMBERS = 64, LEVELS = 24, BLOCK_BYTES = 64 * 1024 };

#define KNOWN __attribute__((noipa))

static uint32_t known_links[LINKS];
static int known_zeroes = -1;
/* Of each function, what its parameter must be for a microsecond. */
static double known_rounds_per_us[KNOWN_FUNCTIONS];
static uint64_t known_reading_ns;

static KNOWN uint64_t mix_integers(unsigned rounds)
{
    uint64_t mixed = rounds;
    for (unsigned i = 0; i < rounds; i++)
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u + i;
    return mixed;
}

static KNOWN uint64_t divide_reals(unsigned rounds)
{
    double real = 1;
    for (unsigned i = 0; i < rounds; i++)
        real = 1 / (real + 0.1 * i) + 1;
    return (uint64_t)(real * 1000);
}

static KNOWN uint64_t chase_links(unsigned rounds)
{
    uint32_t at = rounds % LINKS;
    for (unsigned i = 0; i < rounds; i++)
        at = known_links[at];
    return at;
}

static KNOWN uint64_t call_itself_at(unsigned rounds, unsigned level)
{
    uint64_t mixed = level;
    if (level < LEVELS)
        return call_itself_at(rounds, level + 1) + 1;
    for (unsigned i = 0; i < rounds; i++)
        mixed = mixed * 6364136223846793005u + i;
    return mixed;
}

static KNOWN uint64_t call_itself(unsigned rounds)
{
    return call_itself_at(rounds, 0) + 1;
}

static inline void insert_number(uint32_t *numbers, unsigned at)
{
    uint32_t number = numbers[at];
    for (; at > 0 && numbers[at - 1] > number; at--)
        numbers[at] = numbers[at - 1];
    numbers[at] = number;
}

static KNOWN uint64_t sort_numbers(unsigned rounds)
{
    uint32_t numbers[NUMBERS], number = rounds;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < NUMBERS; i++)
            numbers[i] = number = number * 1664525 + 1013904223;
        for (unsigned i = 1; i < NUMBERS; i++)
            insert_number(numbers, i);
    }
    return numbers[NUMBERS / 2];
}

static KNOWN uint64_t count_bits(unsigned rounds)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < rounds; i++) {
        for (uint64_t rest = i * 0x9e3779b97f4a7c15u; rest != 0; rest &= rest - 1)
            count++;
    }
    return count;
}

/* Has a frame of its own, so that who walks frame pointers from a system call, whose wrapper has
 * none, still meets the function that called it. A signal makes the kernel return what it has so
 * far. */
static KNOWN uint64_t read_block(void)
{
    static __thread char block[BLOCK_BYTES];
    for (size_t done = 0; done < sizeof(block);) {
        ssize_t got = read(known_zeroes, block + done, sizeof(block) - done);
        if (got <= 0)
            abort();
        done += (size_t)got;
    }
    return (uint64_t)block[1] + 1;
}

static KNOWN uint64_t read_zeroes(unsigned rounds)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < rounds; i++)
        sum += read_block();
    return sum;
}

static const struct {
    const char *name;
    uint64_t (*work)(unsigned rounds);
} known_functions[KNOWN_FUNCTIONS] = {
    [MIX_INTEGERS] = { "mix_integers", mix_integers },
    [DIVIDE_REALS] = { "divide_reals", divide_reals },
    [CHASE_LINKS] = { "chase_links", chase_links },
    [CALL_ITSELF] = { "call_itself", call_itself },
    [SORT_NUMBERS] = { "sort_numbers", sort_numbers },
    [COUNT_BITS] = { "count_bits", count_bits },
    [READ_ZEROES] = { "read_zeroes", read_zeroes },
};

/* What the calling thread does from here on is booked in THREAD. */
static void known_thread_begin(struct known_thread *thread, const char *name)
{
    memset(thread, 0, sizeof(*thread));
    thread->tid = gettid();
    thread->random = (uint64_t)thread->tid * 0x9e3779b97f4a7c15u;
    snprintf(thread->name, sizeof(thread->name), "%s", name);
}

static void known_thread_end(struct known_thread *thread)
{
    thread->all_cpu_ns = thread_cpu_ns();
}

/* From 0 to LIMIT - 1. */
static unsigned known_random(struct known_thread *thread, unsigned limit)
{
    thread->random ^= thread->random << 13;
    thread->random ^= thread->random >> 7;
    thread->random ^= thread->random << 17;
    return (unsigned)((thread->random >> 33) % limit);
}

/* Returns how long the call took, by the thread's CPU clock. */
static uint64_t known_call(struct known_thread *thread, enum known_function which, unsigned rounds)
{
    uint64_t start = thread_cpu_ns();
    burn_sink = burn_sink + known_functions[which].work(rounds);
    uint64_t used = thread_cpu_ns() - start;
    used -= used < known_reading_ns ? used : known_reading_ns;
    thread->cpu_ns[which] += used;
    thread->calls[which]++;
    return used;
}

/* Works for about so long. */
static void known_work(struct known_thread *thread, enum known_function which, double us)
{
    double rounds = known_rounds_per_us[which] * us;
    known_call(thread, which, rounds < 1 ? 1 : (unsigned)rounds);
}

static uint64_t shortest_reading_ns(void)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t start = thread_cpu_ns(), took = thread_cpu_ns() - start;
        shortest = took < shortest ? took : shortest;
    }
    return shortest;
}

/* One cycle through all of them, in an order that no cache foresees. */
static void make_links(struct known_thread *thread)
{
    for (uint32_t i = 0; i < LINKS; i++)
        known_links[i] = i;
    for (uint32_t i = LINKS - 1; i > 0; i--) {
        uint32_t other = known_random(thread, i), kept = known_links[i];
        known_links[i] = known_links[other];
        known_links[other] = kept;
    }
}

/* Once, before anything else. What it takes is booked in THREAD, which is the caller's. */
static int known_prepare(struct known_thread *thread)
{
    known_zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (known_zeroes < 0)
        return -1;
    make_links(thread);
    known_reading_ns = shortest_reading_ns();
    for (int which = 0; which < KNOWN_FUNCTIONS; which++) {
        uint64_t took_ns = 0;
        unsigned rounds = 1;
        for (; took_ns < 1000000; rounds *= 2)
            took_ns = known_call(thread, (enum known_function)which, rounds);
        known_rounds_per_us[which] = rounds / 2 * 1000.0 / (double)took_ns;
    }
    return 0;
}

/* See known_truth.c for the lines. */
static void known_print(const struct known_thread *thread)
{
    uint64_t other = thread->all_cpu_ns;
    for (int which = 0; which < KNOWN_FUNCTIONS; which++)
        other -= thread->cpu_ns[which];
    printf("thread\t%d\t%s\t%llu\t%llu\n", thread->tid, thread->name,
           (unsigned long long)thread->all_cpu_ns, (unsigned long long)other);
    for (int which = 0; which < KNOWN_FUNCTIONS; which++) {
        if (thread->calls[which] > 0)
            printf("function\t%d\t%s\t%llu\t%llu\n", thread->tid, known_functions[which].name,
                   (unsigned long long)thread->cpu_ns[which],
                   (unsigned long long)thread->calls[which]);
    }
}

#endif
