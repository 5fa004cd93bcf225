/* coroutines BYTES: works on stacks of so many bytes above a page that is not there, and comes and
 * goes between them and the thread's own. */
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/system/programs/burn.h"

enum { COROUTINES = 4, ROUNDS = 3, PAGE_BYTES = 4096 };

static ucontext_t home, coroutines[COROUTINES];
static int rounds_done;

static __attribute__((noinline)) void work_in_coroutine(void)
{
    burn_outer(0.02);
    rounds_done++;
}

static void run_coroutine(int self)
{
    for (int i = 0; i < ROUNDS; i++) {
        work_in_coroutine();
        swapcontext(&coroutines[self], &home);
    }
}

/* Above a page that is not there. */
static char *make_stack(size_t bytes)
{
    size_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    char *memory = mmap(NULL, PAGE_BYTES + pages, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + PAGE_BYTES, pages, PROT_READ | PROT_WRITE) < 0)
        return NULL;
    return memory + PAGE_BYTES;
}

static int make_coroutine(int number, size_t bytes)
{
    ucontext_t *context = &coroutines[number];
    char *stack = make_stack(bytes);
    if (stack == NULL || getcontext(context) < 0)
        return -1;
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = bytes;
    context->uc_link = &home;
    makecontext(context, (void (*)(void))run_coroutine, 1, number);
    return 0;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 16384;
    for (int i = 0; i < COROUTINES; i++) {
        if (make_coroutine(i, bytes) < 0)
            return 2;
    }
    for (int i = 0; i < ROUNDS * COROUTINES; i++) {
        if (swapcontext(&home, &coroutines[i % COROUTINES]) < 0)
            return 2;
    }
    return rounds_done == ROUNDS * COROUTINES ? 0 : 1;
}
