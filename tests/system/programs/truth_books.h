/* What a program of known truth says of itself, and what a profile books to the same functions and
 * threads.
 *
 * struct books: zeroed before use; books_read_truth() before anything is booked. Names belong to
 * the books. Times are ns of CPU time. */
#ifndef TESTS_TRUTH_BOOKS_H
#define TESTS_TRUTH_BOOKS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FUNCTIONS = 16, MAX_BOOKED_THREADS = 1024 };

/* What a name in a stack is, beside the index of a function that knows its CPU time. */
enum { SOME_NAME = -1, BLOCKING_NAME = -2 };

struct booked_function {
    char name[64];
    double true_ns, booked_ns;
};

struct booked_thread {
    long tid;
    char name[32];
    double true_ns, booked_ns;
    unsigned long samples; /* with CPU time */
};

struct books {
    char program[64];
    double hz; /* of the kernel's ticks */
    struct booked_function functions[MAX_FUNCTIONS];
    int function_count;
    struct booked_thread threads[MAX_BOOKED_THREADS];
    int thread_count;
    double true_other_ns, other_ns, blocking_ns; /* blocking_ns: part of other_ns */
    double squares_ns2; /* of the times that samples stand for, their sum */
};

static struct booked_function *find_function(struct books *books, const char *name)
{
    for (int i = 0; i < books->function_count; i++) {
        if (strcmp(books->functions[i].name, name) == 0)
            return &books->functions[i];
    }
    return NULL;
}

static struct booked_thread *find_thread(struct books *books, long tid)
{
    for (int i = 0; i < books->thread_count; i++) {
        if (books->threads[i].tid == tid)
            return &books->threads[i];
    }
    return NULL;
}

static bool read_function(struct books *books, const char *line)
{
    char name[64];
    double cpu_ns;
    if (sscanf(line, "function\t%*d\t%63[^\t]\t%lf", name, &cpu_ns) != 2)
        return false;
    struct booked_function *function = find_function(books, name);
    if (function == NULL && books->function_count < MAX_FUNCTIONS) {
        function = &books->functions[books->function_count++];
        memcpy(function->name, name, sizeof(name));
    }
    if (function != NULL)
        function->true_ns += cpu_ns;
    return function != NULL;
}

static bool read_thread(struct books *books, const char *line)
{
    struct booked_thread thread = { 0 };
    double other_ns;
    if (books->thread_count == MAX_BOOKED_THREADS ||
        sscanf(line, "thread\t%ld\t%31[^\t]\t%lf\t%lf", &thread.tid, thread.name, &thread.true_ns,
               &other_ns) != 4)
        return false;
    books->threads[books->thread_count++] = thread;
    books->true_other_ns += other_ns;
    return true;
}

/* The lines of known_truth.c; others are passed over. Fails when there is nothing to compare with.
 */
static int books_read_truth(struct books *books, FILE *file)
{
    char line[512];
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "function\t", 9) == 0 && !read_function(books, line))
            return -1;
        if (strncmp(line, "thread\t", 7) == 0 && !read_thread(books, line))
            return -1;
        sscanf(line, "program\t%*d\t%63[^\t\n]", books->program);
        sscanf(line, "hz\t%lf", &books->hz);
    }
    return books->function_count > 0 && books->thread_count > 0 && *books->program != '\0' ? 0 : -1;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t end_length = strlen(end);
    return length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

/* Calls that wait, as libc or the kernel names them, and with whatever they have before it: but
 * neither those that wake ("futex_wake") nor what a waker calls for the waiting
 * ("ep_poll_callback"). */
static bool is_blocking(const char *name, size_t length)
{
    static const char *const waits[] = {
        "nanosleep",        "epoll_wait",         "epoll_pwait", "poll",
        "select",           "futex_wait",         "cond_wait",   "cond_timedwait",
        "sem_wait",         "sem_timedwait",      "lock_wait",   "pause",
        "futex_wait_queue", "futex_abstimed_wait"
    };
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        size_t before = length - strlen(waits[i]);
        if (ends_with(name, length, waits[i]) && (before == 0 || name[before - 1] == '_'))
            return true;
    }
    return false;
}

/* NAME: as profctl ("f (in lib)") or perf ("f@@VERSION") writes it. */
static int books_classify(const struct books *books, const char *name)
{
    size_t length = strcspn(name, " @");
    for (int i = 0; i < books->function_count; i++) {
        const char *known = books->functions[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return i;
    }
    return is_blocking(name, length) ? BLOCKING_NAME : SOME_NAME;
}

/* Which name of a stack a sample is booked to, told one after the other from the innermost
 * outwards: the first function, else any call that blocks. */
static int books_choose(int chosen, int name)
{
    if (chosen >= 0 || name == SOME_NAME)
        return chosen;
    return name;
}

/* CHOSEN: what books_choose() made of the whole stack, from SOME_NAME. */
static void books_book(struct books *books, struct booked_thread *thread, int chosen, double cpu_ns)
{
    thread->booked_ns += cpu_ns;
    thread->samples += cpu_ns > 0;
    books->squares_ns2 += cpu_ns * cpu_ns;
    if (chosen >= 0)
        books->functions[chosen].booked_ns += cpu_ns;
    else
        books->other_ns += cpu_ns;
    if (chosen == BLOCKING_NAME)
        books->blocking_ns += cpu_ns;
}

#endif
