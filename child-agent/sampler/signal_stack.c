#include "child-agent/sampler/signal_stack.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/pages.h"
#include "common/apart.h"

enum {
    STACK_BYTES = 64 * 1024, /* only what is written to is memory: a page or two at the top */
    HANDLER_BYTES = 16 * 1024,
};

static LARGE_APART _Alignas(4096) uint8_t
    main_stack[STACK_BYTES]; /* most processes have one thread */
static _Atomic bool is_withdrawn;

static const stack_t no_stack = { .ss_flags = SS_DISABLE };

/* Part of the runtime of each Go program that has C in it, and so can be preloaded. */
extern const char x_cgo_thread_start __attribute__((weak));

/* Go asks the kernel itself which stack a thread has, and where it finds one, that stays the stack
 * of Go's handlers: ours would be taken from under them as soon as they are set. */
static bool is_go_program(void)
{
    return &x_cgo_thread_start != NULL;
}

static int set_stack(const stack_t *stack, stack_t *old_stack)
{
    return (int)syscall(SYS_sigaltstack, stack, old_stack);
}

static bool is_ours(const stack_t *stack, const struct thread_registration *self)
{
    return self != NULL && self->signal_stack != NULL && stack->ss_sp == self->signal_stack &&
           (stack->ss_flags & SS_DISABLE) == 0;
}

/* Puts back what was there before STACK was set, unless it was one that may go. */
static void keep_programs(const stack_t *before, const struct thread_registration *self)
{
    if ((before->ss_flags & SS_DISABLE) == 0 && !is_ours(before, self))
        (void)set_stack(before, NULL); /* the thread's own, a moment ago */
}

static stack_t stack_of(const struct thread_registration *self)
{
    return (stack_t){ .ss_sp = self->signal_stack, .ss_size = STACK_BYTES };
}

void signal_stack_begin(struct thread_registration *self)
{
    stack_t before;
    if (atomic_load(&is_withdrawn) || atomic_load(&core.is_filtered) || is_go_program() ||
        getauxval(AT_MINSIGSTKSZ) > STACK_BYTES - HANDLER_BYTES)
        return;
    if (self->signal_stack == NULL)
        self->signal_stack = self->is_main ? main_stack : pages_allocate(STACK_BYTES);
    if (self->signal_stack == NULL)
        return;
    const stack_t ours = stack_of(self);
    if (set_stack(&ours, &before) == 0)
        keep_programs(&before, self);
}

void signal_stack_end(struct thread_registration *self)
{
    stack_t before;
    if (self->signal_stack == NULL)
        return;
    if (atomic_load(&core.is_filtered))
        self->signal_stack = NULL; /* the thread has it until it is gone */
    else if (set_stack(&no_stack, &before) == 0)
        keep_programs(&before, self);
}

int signal_stack_change(const stack_t *stack, stack_t *old_stack)
{
    const struct thread_registration *self = thread_current;
    bool has_ours = self != NULL && self->signal_stack != NULL && !atomic_load(&is_withdrawn);
    stack_t ours;
    if (stack != NULL && has_ours && stack->ss_flags == SS_DISABLE) {
        ours = stack_of(self);
        stack = &ours;
    }
    int result = set_stack(stack, old_stack); /* it may be no address: then the kernel says so */
    if (result == 0 && old_stack != NULL && is_ours(old_stack, self))
        *old_stack = no_stack;
    return result;
}

void signal_stack_withdraw(void)
{
    if (!atomic_exchange(&is_withdrawn, true) && thread_current != NULL)
        signal_stack_end(thread_current);
}

void signal_stack_follow_in_handler(void *context)
{
    stack_t *stack = &((ucontext_t *)context)->uc_stack;
    if (atomic_load_explicit(&is_withdrawn, memory_order_relaxed) && is_ours(stack, thread_current))
        *stack = no_stack; /* the kernel sets it when the handler returns */
}
