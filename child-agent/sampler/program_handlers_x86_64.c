/* The handlers that the kernel gets differ in the number of the program's handler alone, which each
 * of them adds to its arguments. The kernel passes the context whatever SA_SIGINFO says. */
#include "child-agent/sampler/program_handlers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "child-agent/sampler/interrupted_call.h"
#include "common/apart.h"

enum { ENTRY_BYTES = 16 };

extern const uint8_t program_handler_entries[PROGRAM_HANDLERS_MOST * ENTRY_BYTES];
void call_program_handler(int number, siginfo_t *info, void *context, uint32_t place);

/* By place; filled and never changed again. */
static LARGE_APART _Atomic(__sighandler_t) program_handlers[PROGRAM_HANDLERS_MOST];

_Static_assert(PROGRAM_HANDLERS_MOST == 256 && ENTRY_BYTES == 16, "as the code below has it");

__asm__(".pushsection .text\n"
        ".hidden program_handler_entries\n"
        ".globl program_handler_entries\n"
        ".type program_handler_entries, @function\n"
        ".p2align 4\n"
        "program_handler_entries:\n"
        "    .cfi_startproc\n"
        ".set .Lplace, 0\n"
        ".rept 256\n"
        "    .p2align 4\n"
        "    movl $.Lplace, %ecx\n"
        "    jmp call_program_handler\n"
        ".set .Lplace, .Lplace + 1\n"
        ".endr\n"
        "    .p2align 4\n"
        "    .cfi_endproc\n"
        ".size program_handler_entries, .-program_handler_entries\n"
        ".popsection\n");

/* The kernel puts the context right behind the return address. Somebody else who calls may have
 * read the handler past us, and pass no context: then nothing is marked. */
__attribute__((used, visibility("hidden"))) void call_program_handler(int number, siginfo_t *info,
                                                                      void *context, uint32_t place)
{
    typedef void any_function(void);
    typedef void handler_function(int, siginfo_t *, void *); /* it may want fewer arguments */
    any_function *handler = (any_function *)atomic_load(&program_handlers[place]);
    bool is_by_kernel = context == __builtin_dwarf_cfa();
    ((handler_function *)handler)(number, info, context);
    if (is_by_kernel)
        interrupted_call_keep(context);
}

/* SIG_HOLD, which sigset() takes, is the last of what is none. */
static bool is_handler(__sighandler_t handler)
{
    return (uintptr_t)handler > (uintptr_t)SIG_HOLD && handler != SIG_ERR;
}

static bool may_have_handler(int number)
{
    return number > 0 && number < NSIG && number != SIGKILL && number != SIGSTOP;
}

static bool comes_by_itself(int number)
{
    return number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL &&
           number != SIGTRAP && number != SIGSYS && number != SIGABRT;
}

static uintptr_t entry_at(size_t place)
{
    return (uintptr_t)program_handler_entries + place * ENTRY_BYTES;
}

static bool is_entry(__sighandler_t handler, size_t *place)
{
    uintptr_t offset = (uintptr_t)handler - (uintptr_t)program_handler_entries;
    *place = offset / ENTRY_BYTES;
    return *place < PROGRAM_HANDLERS_MOST;
}

/* Whether PLACE is HANDLER's, or becomes it. An exchange that fails would be a write, too, for
 * which a forked child gets a page of its own. */
static bool take_place(size_t place, __sighandler_t handler)
{
    __sighandler_t found = atomic_load(&program_handlers[place]);
    if (found == NULL && atomic_compare_exchange_strong(&program_handlers[place], &found, handler))
        return true;
    return found == handler;
}

/* The place of HANDLER, which it may get now; false when there is none left. */
static bool find_place(__sighandler_t handler, size_t *place)
{
    size_t first = ((uintptr_t)handler >> 4) % PROGRAM_HANDLERS_MOST;
    for (size_t i = 0; i < PROGRAM_HANDLERS_MOST; i++) {
        *place = (first + i) % PROGRAM_HANDLERS_MOST;
        if (take_place(*place, handler))
            return true;
    }
    return false;
}

__sighandler_t program_handler_to_install(int number, __sighandler_t handler)
{
    size_t place;
    if (!is_handler(handler) || !may_have_handler(number) || !comes_by_itself(number) ||
        is_entry(handler, &place) || !find_place(handler, &place))
        return handler;
    return (__sighandler_t)entry_at(place); /* NOLINT: the code above */
}

/* Where the kernel has called one of ours that has not begun, what was interrupted for it: it is
 * behind the return address. Else NULL. */
static void *context_before(const void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t next = (uintptr_t)registers[REG_RIP];
    const uintptr_t before = (uintptr_t)registers[REG_RSP] + sizeof(void *);
    size_t place;
    bool has_not_begun =
        is_entry((__sighandler_t)next, &place) && next == entry_at(place); /* NOLINT: code */
    bool is_by_kernel = (uintptr_t)registers[REG_RDX] == before;
    return has_not_begun && is_by_kernel ? (void *)before : NULL; /* NOLINT: the stack */
}

void *program_handler_sampled_context(void *context)
{
    for (void *before = context_before(context); before != NULL; before = context_before(context))
        context = before;
    return context;
}

__sighandler_t program_handler_of(__sighandler_t installed)
{
    size_t place;
    return is_entry(installed, &place) ? atomic_load(&program_handlers[place]) : installed;
}
