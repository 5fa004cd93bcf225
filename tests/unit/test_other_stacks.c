/* The unwinder where a thread has more than one stack, and where a return address is below rsp: on
 * live stacks, as the signal handler shows them. */
#pragma GCC optimize("omit-frame-pointer")

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwinder.h"
#include "tests/unit/run_suite.h"

#define OPAQUE __attribute__((noinline, noclone, no_sanitize("address", "undefined")))

enum { MAX_FRAMES = 256, STACK_BYTES = 256 * 1024, CODE_BYTES = 4096 };

static struct module_map *modules;
static struct unwinder *unwinder;
static struct thread_registration self;
static struct snapshot snapshot;
static uint8_t foreign[SNAPSHOT_FOREIGN_STACK_BYTES];
static struct unwind_frame frames[MAX_FRAMES];
static size_t count;
static bool is_complete;
static volatile uint64_t sink;
static char *other_stack;

static void find_own_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    ck_assert_int_eq(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    self.stack_low = (uint64_t)(uintptr_t)low;
    self.stack_high = self.stack_low + bytes;
}

static void setup(void)
{
    ck_assert_int_eq(module_map_create(NULL, &modules), 0);
    ck_assert_int_eq(unwinder_create(modules, &unwinder), 0);
    find_own_stack();
    other_stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(other_stack, MAP_FAILED);
    count = 0;
}

static void teardown(void)
{
    munmap(other_stack, STACK_BYTES);
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
}

static void walk_from(const void *context)
{
    snapshot_look(&snapshot, &self, context, foreign);
    count = unwinder_walk(unwinder, &snapshot, 0, frames, MAX_FRAMES, &is_complete);
}

OPAQUE static void walk_here(void)
{
    ucontext_t context;
    getcontext(&context);
    walk_from(&context);
    sink++;
}

/* Whether FUNCTION, of fewer than 400 bytes, is in a frame. */
static bool has_frame_of(const void *function)
{
    for (size_t i = 0; i < count; i++) {
        if (frames[i].address - 1 - (uint64_t)(uintptr_t)function < 400)
            return true;
    }
    return false;
}

static void install_handler(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    const struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };
    ck_assert_int_eq(sigaction(number, &action, NULL), 0);
}

static void walk_what_was_interrupted(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    walk_from(context);
}

/* --- Other stacks --- */

static void work_in_handler(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    walk_here();
    sink++;
}

OPAQUE static void interrupted(void)
{
    raise(SIGUSR1);
    sink++;
}

START_TEST(a_handler_on_a_stack_of_its_own_leads_to_what_it_interrupted)
{
    const stack_t stack = { .ss_sp = other_stack, .ss_size = STACK_BYTES };
    const stack_t none = { .ss_flags = SS_DISABLE };
    ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
    install_handler(SIGUSR1, work_in_handler, SA_ONSTACK);
    interrupted();
    ck_assert_int_eq(sigaltstack(&none, NULL), 0);
    ck_assert(has_frame_of((const void *)work_in_handler));
    ck_assert(has_frame_of((const void *)interrupted));
    ck_assert(is_complete);
}
END_TEST

__asm__(".text\n.type runs_there, @function\nruns_there:\n"
        ".cfi_startproc\n"
        " pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rbp, -16\n"
        " movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
        " movq %rdi, %rsp\n"
        " call *%rsi\n"
        " leave\n.cfi_def_cfa %rsp, 8\n"
        " ret\n.cfi_endproc\n.size runs_there, .-runs_there\n");
void runs_there(void *stack_end, void (*function)(void));

OPAQUE static void goes_to_another_stack(void)
{
    runs_there(other_stack + STACK_BYTES, walk_here);
    sink++;
}

START_TEST(a_function_that_went_to_another_stack_leads_back)
{
    goes_to_another_stack();
    ck_assert(has_frame_of((const void *)runs_there));
    ck_assert(has_frame_of((const void *)goes_to_another_stack));
    ck_assert(is_complete);
}
END_TEST

static void *generate_code(const uint8_t *bytes, size_t byte_count)
{
    void *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(code, MAP_FAILED);
    memcpy(code, bytes, byte_count);
    ck_assert_int_eq(mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC), 0);
    return code;
}

OPAQUE static void goes_there_by_generated_code(void *code)
{
    ((void (*)(void *, void (*)(void)))code)(other_stack + STACK_BYTES, walk_here);
    sink++;
}

START_TEST(generated_code_that_went_to_another_stack_leads_back)
{
    /* push %rbp; mov %rsp,%rbp; mov %rdi,%rsp; call *%rsi; leave; ret */
    static const uint8_t bytes[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89,
                                     0xfc, 0xff, 0xd6, 0xc9, 0xc3 };
    void *code = generate_code(bytes, sizeof(bytes));
    goes_there_by_generated_code(code);
    ck_assert(has_frame_of((const void *)goes_there_by_generated_code));
    ck_assert(is_complete);
    munmap(code, CODE_BYTES);
}
END_TEST

START_TEST(a_frame_pointer_that_leads_nowhere_ends_the_stack)
{
    /* push %rbp; mov $1 << 40,%rbp; push %rbp; int3; pop %rbp; pop %rbp; ret */
    static const uint8_t bytes[] = { 0x55, 0x48, 0xbd, 0,    0,    0,    0,    0,
                                     1,    0,    0,    0x55, 0xcc, 0x5d, 0x5d, 0xc3 };
    void *code = generate_code(bytes, sizeof(bytes));
    install_handler(SIGTRAP, walk_what_was_interrupted, 0);
    ((void (*)(void))code)();
    ck_assert_uint_eq(count, 1);
    ck_assert(!is_complete);
    munmap(code, CODE_BYTES);
}
END_TEST

START_TEST(without_a_frame_pointer_the_innermost_frame_is_no_root)
{
    /* push %rbp; xor %ebp,%ebp; push %rbp; int3; pop %rbp; pop %rbp; ret */
    static const uint8_t bytes[] = { 0x55, 0x31, 0xed, 0x55, 0xcc, 0x5d, 0x5d, 0xc3 };
    void *code = generate_code(bytes, sizeof(bytes));
    install_handler(SIGTRAP, walk_what_was_interrupted, 0);
    ((void (*)(void))code)();
    ck_assert_uint_eq(count, 1);
    ck_assert(!is_complete);
    munmap(code, CODE_BYTES);
}
END_TEST

/* --- Return addresses that are not where they were pushed --- */

__asm__(".text\n.type pops_return_address, @function\npops_return_address:\n"
        ".cfi_startproc\n"
        " popq %rax\n.cfi_adjust_cfa_offset -8\n"
        " int3\n"
        " pushq %rax\n.cfi_adjust_cfa_offset 8\n"
        " ret\n.cfi_endproc\n.size pops_return_address, .-pops_return_address\n");
void pops_return_address(void);

__asm__(".text\n.type moves_return_address, @function\nmoves_return_address:\n"
        ".cfi_startproc\n"
        " popq %rdi\n.cfi_adjust_cfa_offset -8\n.cfi_register %rip, %rdi\n"
        " pushq $0\n.cfi_adjust_cfa_offset 8\n"
        " int3\n"
        " popq %rax\n.cfi_adjust_cfa_offset -8\n"
        " pushq %rdi\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rip, -8\n"
        " ret\n.cfi_endproc\n.size moves_return_address, .-moves_return_address\n");
void moves_return_address(void);

OPAQUE static void calls_moves_return_address(void)
{
    moves_return_address();
    sink++;
}

OPAQUE static void calls_pops_return_address(void)
{
    pops_return_address();
    sink++;
}

START_TEST(a_return_address_may_be_popped_already)
{
    install_handler(SIGTRAP, walk_what_was_interrupted, 0);
    calls_pops_return_address();
    ck_assert_uint_gt(count, 2);
    ck_assert(has_frame_of((const void *)calls_pops_return_address));
    ck_assert(is_complete);
}
END_TEST

/* As in vfork(). */
START_TEST(a_return_address_may_be_in_a_register)
{
    install_handler(SIGTRAP, walk_what_was_interrupted, 0);
    calls_moves_return_address();
    ck_assert(has_frame_of((const void *)calls_moves_return_address));
    ck_assert(is_complete);
}
END_TEST

static Suite *create_suite(void)
{
    Suite *suite = suite_create("other stacks");
    TCase *stacks = tcase_create("stacks");
    tcase_add_checked_fixture(stacks, setup, teardown);
    tcase_add_test(stacks, a_handler_on_a_stack_of_its_own_leads_to_what_it_interrupted);
    tcase_add_test(stacks, a_function_that_went_to_another_stack_leads_back);
    tcase_add_test(stacks, generated_code_that_went_to_another_stack_leads_back);
    tcase_add_test(stacks, a_frame_pointer_that_leads_nowhere_ends_the_stack);
    tcase_add_test(stacks, without_a_frame_pointer_the_innermost_frame_is_no_root);
    tcase_add_test(stacks, a_return_address_may_be_popped_already);
    tcase_add_test(stacks, a_return_address_may_be_in_a_register);
    suite_add_tcase(suite, stacks);
    return suite;
}

int main(void)
{
    return run_suite(create_suite());
}
