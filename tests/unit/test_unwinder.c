/* The unwinder against libunwind's cursor and against what is known, on snapshots of this very
 * process. */
#pragma GCC optimize("omit-frame-pointer")

#include <alloca.h>
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/take_snapshot.h"

#define OPAQUE __attribute__((noinline, noclone, no_sanitize("address", "undefined")))

enum { MAX_FRAMES = 256 };

static struct module_map *modules;
static struct unwinder *unwinder;
static struct snapshot_copy copy; /* that snapshots are taken into */
static struct snapshot *const snapshot = &copy.snapshot;
static struct libunwind_cursor *libunwind;
static struct unwind_frame frames[MAX_FRAMES], reference[MAX_FRAMES];
static bool is_complete;

static void setup(void)
{
    ck_assert_int_eq(module_map_create(NULL, &modules), 0);
    ck_assert_int_eq(unwinder_create(modules, &unwinder), 0);
    ck_assert_int_eq(libunwind_cursor_create(modules, &libunwind), 0);
}

static void teardown(void)
{
    libunwind_cursor_destroy(libunwind);
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
}

static size_t walk_stack(void)
{
    return unwinder_walk(unwinder, snapshot, 0, frames, MAX_FRAMES, &is_complete);
}

/* Whether FUNCTION, of fewer than 400 bytes, is in one of the frames from FIRST on. */
static size_t frame_of(const void *function, size_t first, size_t count)
{
    for (size_t i = first; i < count; i++) {
        if (frames[i].address - 1 - (uint64_t)(uintptr_t)function < 400)
            return i;
    }
    return MAX_FRAMES;
}

static void assert_same_as_reference(size_t count)
{
    size_t expected = libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
    ck_assert_uint_eq(count, expected);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(frames[i].address, reference[i].address);
        ck_assert_uint_eq(frames[i].stack_address, reference[i].stack_address);
    }
}

/* --- Functions of many shapes; each ends in snapshot_here(), and must not be a tail call --- */

static volatile uint64_t sink;

OPAQUE static void snapshot_here(void)
{
    take_snapshot(&copy);
    sink++;
}

OPAQUE static uint64_t with_registers(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t e = a * b, f = c * d, g = a ^ d;
    snapshot_here();
    return a + b * c + d * e + f * g;
}

OPAQUE static uint64_t with_block(size_t bytes)
{
    volatile uint8_t *block = alloca(bytes);
    block[0] = 1;
    sink += with_registers(bytes, 2, 3, 4);
    return block[0] + sink;
}

OPAQUE static uint64_t with_aligned_vector(uint64_t a)
{
    _Alignas(32) volatile uint64_t vector[4] = { a, a, a, a };
    sink += with_block(40 + (size_t)(a & 7));
    return vector[a & 3] + sink;
}

OPAQUE static uint64_t with_aligned_block(uint64_t a)
{
    _Alignas(64) volatile uint64_t vector[8] = { a };
    volatile uint8_t *block = alloca(16 + (a & 15));
    block[1] = 1;
    sink += with_aligned_vector(a);
    return vector[a & 7] + block[1];
}

OPAQUE static uint64_t with_arguments(int count, ...)
{
    va_list arguments;
    uint64_t sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(arguments, uint64_t);
    va_end(arguments);
    sink += with_aligned_block(sum);
    return sum;
}

OPAQUE static uint64_t with_large_frame(uint64_t a)
{
    volatile uint8_t large[8000];
    large[a % 8000] = 1;
    sink += with_arguments(3, a, a, a);
    return large[a % 8000] + sink;
}

__attribute__((optimize("no-omit-frame-pointer"))) OPAQUE static uint64_t
with_frame_pointer(uint64_t a)
{
    sink += with_large_frame(a);
    return sink + a;
}

OPAQUE static int compare_and_go_deeper(const void *a, const void *b)
{
    sink += with_frame_pointer(3);
    return *(const int *)a - *(const int *)b;
}

OPAQUE static void sort(void)
{
    int values[2] = { 2, 1 };
    qsort(values, 2, sizeof(values[0]), compare_and_go_deeper);
    sink += (uint64_t)values[0];
}

/* As assembly of cryptographic libraries: the rsp of before is kept in the realigned frame. */
__asm__(".text\n.type keeps_old_rsp, @function\nkeeps_old_rsp:\n"
        ".cfi_startproc\n"
        " movq %rsp, %rax\n.cfi_def_cfa_register %rax\n"
        " pushq %rbx\n.cfi_offset %rbx, -16\n"
        " subq $48, %rsp\n"
        " andq $-64, %rsp\n"
        " movq %rax, 24(%rsp)\n.cfi_escape 0x0f, 5, 0x77, 24, 0x06, 0x23, 8\n"
        " call *%rdi\n"
        " movq 24(%rsp), %rsi\n.cfi_def_cfa %rsi, 8\n"
        " movq -8(%rsi), %rbx\n.cfi_restore %rbx\n"
        " leaq (%rsi), %rsp\n.cfi_def_cfa_register %rsp\n"
        " ret\n.cfi_endproc\n.size keeps_old_rsp, .-keeps_old_rsp\n");
void keeps_old_rsp(void (*function)(void));

/* The return address is in a register, which those it calls may have saved: beyond any compact
 * rule. */
__asm__(".text\n.type keeps_return_address, @function\nkeeps_return_address:\n"
        ".cfi_startproc\n"
        " pushq %r12\n.cfi_adjust_cfa_offset 8\n"
        " movq 8(%rsp), %r12\n.cfi_register %rip, %r12\n"
        " call *%rdi\n"
        " nop\n.cfi_offset %rip, -8\n"
        " popq %r12\n.cfi_adjust_cfa_offset -8\n"
        " ret\n.cfi_endproc\n.size keeps_return_address, .-keeps_return_address\n");
void keeps_return_address(void (*function)(void));

OPAQUE static void calls_keeps_old_rsp(void)
{
    keeps_old_rsp(snapshot_here);
    sink++;
}

OPAQUE static void calls_keeps_return_address(void)
{
    keeps_return_address(snapshot_here);
    sink++;
}

/* --- Whole stacks --- */

START_TEST(every_shape_of_frame_leads_to_its_caller)
{
    static const void *const callers[] = {
        snapshot_here,         with_registers, with_block,       with_aligned_vector,
        with_aligned_block,    with_arguments, with_large_frame, with_frame_pointer,
        compare_and_go_deeper, sort,
    };
    sort();
    for (int round = 0; round < 2; round++) { /* from the tables, then from the cache */
        size_t count = walk_stack();
        size_t at = 1;
        ck_assert(is_complete);
        for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
            size_t next = frame_of(callers[i], at, count);
            ck_assert_msg(next < count, "caller %zu is missing", i);
            ck_assert(next == at || callers[i] == (const void *)sort);
            at = next + 1;
        }
        assert_same_as_reference(count);
    }
    struct unwind_statistics statistics;
    unwinder_get_statistics(unwinder, &statistics);
    ck_assert_uint_eq(statistics.ended_at_root, 2);
    ck_assert_uint_eq(statistics.ended_broken, 0);
    ck_assert_uint_eq(statistics.frames_pointer, 0);
    ck_assert_uint_gt(statistics.frames_filled, 10);
    ck_assert_uint_ge(statistics.frames_cached, statistics.frames_filled);
}
END_TEST

START_TEST(what_no_rule_can_say_the_tables_say)
{
    calls_keeps_return_address();
    size_t count = walk_stack();
    ck_assert(is_complete);
    ck_assert_uint_lt(frame_of((const void *)keeps_return_address, 0, count), count);
    ck_assert_uint_lt(frame_of(calls_keeps_return_address, 0, count), count);
    assert_same_as_reference(count);
}
END_TEST

static void snapshot_in_handler(int number)
{
    (void)number;
    sort();
    sink++;
}

OPAQUE static void interrupted(void)
{
    raise(SIGUSR1);
    sink++;
}

START_TEST(a_signal_handler_leads_to_what_it_interrupted)
{
    struct sigaction action = { .sa_handler = snapshot_in_handler };
    sigaction(SIGUSR1, &action, NULL);
    interrupted();
    size_t count = walk_stack();
    size_t handler = frame_of(snapshot_in_handler, 0, count);
    ck_assert(is_complete);
    ck_assert_uint_lt(handler, count);
    ck_assert_uint_lt(frame_of(interrupted, handler, count), count);
    assert_same_as_reference(count);
}
END_TEST

static volatile uint64_t *volatile nowhere = NULL;
static sigjmp_buf after_fault;

static void snapshot_of_fault(int number)
{
    (void)number;
    snapshot_here();
    siglongjmp(after_fault, 1);
}

/* The faulting instruction is the first of the function: its address - 1 is in another one. */
__asm__(".text\n.p2align 4\n.type faulting_function, @function\nfaulting_function:\n"
        ".cfi_startproc\n movq (%rdi), %rax\n ret\n.cfi_endproc\n"
        ".size faulting_function, .-faulting_function\n");
uint64_t faulting_function(volatile uint64_t *at);

OPAQUE static void calls_faulting(void)
{
    sink += faulting_function(nowhere);
    sink++;
}

START_TEST(an_interrupted_first_instruction_is_not_taken_for_the_function_before)
{
    struct sigaction action = { .sa_handler = snapshot_of_fault }, before;
    sigaction(SIGSEGV, &action, &before);
    if (sigsetjmp(after_fault, 1) == 0)
        calls_faulting();
    sigaction(SIGSEGV, &before, NULL);
    size_t count = walk_stack();
    size_t handler = frame_of(snapshot_of_fault, 0, count);
    ck_assert_uint_lt(handler + 3, count);
    ck_assert_uint_eq(frames[handler + 2].address, (uint64_t)(uintptr_t)faulting_function);
    ck_assert_uint_eq(frame_of(calls_faulting, handler + 3, count), handler + 3);
    ck_assert(is_complete);
}
END_TEST

static void *thread_main(void *context)
{
    (void)context;
    sort();
    return NULL;
}

START_TEST(a_thread_ends_at_its_root)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, thread_main, NULL), 0);
    pthread_join(thread, NULL);
    size_t count = walk_stack();
    ck_assert(is_complete);
    ck_assert_uint_lt(frame_of(thread_main, 0, count), count);
    assert_same_as_reference(count);
}
END_TEST

START_TEST(a_root_address_ends_the_walk_before_its_frame)
{
    sort();
    size_t all = walk_stack();
    for (size_t i = 1; i < all; i++) {
        uint64_t root = frames[i].stack_address;
        size_t count = unwinder_walk(unwinder, snapshot, root, frames, MAX_FRAMES, &is_complete);
        ck_assert_uint_eq(count, i);
        ck_assert(is_complete);
    }
    /* The innermost frame is always there. */
    ck_assert_uint_eq(unwinder_walk(unwinder, snapshot, 1, frames, MAX_FRAMES, &is_complete), 1);
}
END_TEST

START_TEST(capacity_bounds_the_walk)
{
    sort();
    size_t all = walk_stack();
    for (size_t capacity = 1; capacity < all; capacity++) {
        ck_assert_uint_eq(unwinder_walk(unwinder, snapshot, 0, frames, capacity, &is_complete),
                          capacity);
        ck_assert(!is_complete);
    }
}
END_TEST

START_TEST(a_truncated_copy_ends_broken_and_not_wrong)
{
    sort();
    size_t all = walk_stack();
    memcpy(reference, frames, sizeof(reference));
    uint64_t bytes = snapshot->stack_bytes;
    for (uint64_t kept = 0; kept < bytes; kept += 8) {
        snapshot->stack_bytes = kept;
        size_t count = walk_stack();
        ck_assert_uint_ge(count, 1);
        ck_assert_uint_le(count, all);
        for (size_t i = 0; i < count; i++)
            ck_assert_uint_eq(frames[i].address, reference[i].address);
        ck_assert(is_complete == (count == all));
    }
}
END_TEST

/* --- At the same time --- */

/* One that unwinds a copy of the stack again and again, and knows what comes out. */
struct concurrent_walk {
    const struct snapshot *snapshot;
    struct unwind_frame expected[MAX_FRAMES];
    size_t count;
    uint64_t whole, cut, wrong;
};

static _Atomic bool is_over;

/* One that found another at the tables ends early, which is told; no frame is ever wrong. */
static void walk_and_compare(struct concurrent_walk *in)
{
    struct unwind_frame found[MAX_FRAMES];
    bool is_whole;
    size_t count = unwinder_walk(unwinder, in->snapshot, 0, found, MAX_FRAMES, &is_whole);
    bool is_right = count >= 1 && count <= in->count && (count == in->count || !is_whole);
    for (size_t i = 0; is_right && i < count; i++)
        is_right = found[i].address == in->expected[i].address;
    in->wrong += !is_right;
    in->whole += is_whole;
    in->cut += !is_whole;
}

static void *walk_until_over(void *context)
{
    while (!atomic_load(&is_over))
        walk_and_compare(context);
    return NULL;
}

static void expect_walk_of(struct concurrent_walk *in, const struct snapshot_copy *of)
{
    in->snapshot = &of->snapshot;
    in->count = libunwind_cursor_walk(libunwind, &of->snapshot, in->expected, MAX_FRAMES);
    in->whole = in->cut = in->wrong = 0;
    ck_assert_uint_gt(in->count, 5);
}

static void keep_copy(struct snapshot_copy *out)
{
    memcpy(out, &copy, sizeof(copy));
    out->snapshot.stack = out->stack;
}

START_TEST(threads_unwind_at_once_while_libraries_come_and_go)
{
    enum { ROUNDS = 100 };
    static struct snapshot_copy copies[2];
    static struct concurrent_walk walks[3];
    pthread_t threads[2];
    sort();
    keep_copy(&copies[0]);
    calls_keeps_old_rsp();
    keep_copy(&copies[1]);
    for (int i = 0; i < 3; i++)
        expect_walk_of(&walks[i], &copies[i % 2]);
    atomic_store(&is_over, false);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, walk_until_over, &walks[i]), 0);
    for (int i = 0; i < ROUNDS; i++) {
        void *library = dlopen("libthread_db.so.1", RTLD_LAZY);
        ck_assert_ptr_nonnull(library);
        module_map_changed(modules); /* all rules are forgotten */
        walk_and_compare(&walks[2]);
        ck_assert_int_eq(dlclose(library), 0);
        module_map_changed(modules);
        walk_and_compare(&walks[2]);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(walks[i].wrong, 0);
        uint64_t whole = walks[i].whole;
        walk_and_compare(&walks[i]);
        ck_assert_uint_eq(walks[i].whole, whole + 1); /* nobody is in the way now */
        ck_assert_uint_eq(walks[i].wrong, 0);
    }
}
END_TEST

static struct concurrent_walk in_handler;
static uint64_t handlers_run;

static void unwind_in_handler(int number)
{
    (void)number;
    handlers_run++;
    walk_and_compare(&in_handler);
}

/* The list is about to change: the tables are somebody's at this moment. */
static bool interrupt_the_reading(void *context)
{
    (void)context;
    raise(SIGUSR1);
    return true;
}

START_TEST(a_handler_unwinds_whatever_it_interrupts)
{
    const struct module_events events = { .begin = interrupt_the_reading };
    struct sigaction action = { .sa_handler = unwind_in_handler };
    sort();
    expect_walk_of(&in_handler, &copy);
    sigaction(SIGUSR1, &action, NULL);
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
    ck_assert_int_eq(module_map_create(&events, &modules), 0);
    ck_assert_int_eq(unwinder_create(modules, &unwinder), 0);
    /* In the middle of the first filling there are no rules yet, and none can be made. */
    handlers_run = 0;
    size_t count = walk_stack();
    ck_assert_uint_ge(handlers_run, 1);
    ck_assert_uint_eq(in_handler.cut, handlers_run);
    ck_assert_uint_eq(in_handler.wrong, 0);
    ck_assert(is_complete);
    ck_assert_uint_eq(count, in_handler.count);
    /* Once there are, a handler finds its way by them. */
    module_map_changed(modules);
    handlers_run = 0;
    count = walk_stack();
    ck_assert_uint_eq(handlers_run, 1);
    ck_assert_uint_eq(in_handler.whole, 1);
    ck_assert_uint_eq(in_handler.wrong, 0);
    ck_assert(is_complete);
    assert_same_as_reference(count);
}
END_TEST

/* Rules go with any change of the list. */
static void forget_rules(int round)
{
    static void *library;
    if (round % 2 == 0)
        library = dlopen("libthread_db.so.1", RTLD_LAZY);
    else
        dlclose(library);
    module_map_changed(modules);
}

static void *interrupt_often(void *context)
{
    while (!atomic_load(&is_over)) {
        pthread_kill(*(const pthread_t *)context, SIGUSR1);
        sched_yield();
    }
    return NULL;
}

START_TEST(handlers_at_any_moment_change_nothing)
{
    enum { ROUNDS = 300 };
    static struct concurrent_walk outer;
    struct sigaction action = { .sa_handler = unwind_in_handler };
    pthread_t sender, self = pthread_self();
    sort();
    expect_walk_of(&outer, &copy);
    expect_walk_of(&in_handler, &copy);
    sigaction(SIGUSR1, &action, NULL);
    atomic_store(&is_over, false);
    handlers_run = 0;
    ck_assert_int_eq(pthread_create(&sender, NULL, interrupt_often, &self), 0);
    for (int i = 0; i < ROUNDS || handlers_run < ROUNDS; i++) {
        forget_rules(i);
        walk_and_compare(&outer);
    }
    atomic_store(&is_over, true);
    pthread_join(sender, NULL);
    ck_assert_uint_eq(outer.wrong, 0);
    ck_assert_uint_eq(outer.cut, 0); /* it is the handler that does without */
    ck_assert_uint_eq(in_handler.wrong, 0);
    ck_assert_uint_gt(in_handler.whole, 0);
}
END_TEST

/* --- Libraries that come and go --- */

START_TEST(a_library_that_is_gone_is_not_looked_into)
{
    void *library = dlopen("libthread_db.so.1", RTLD_LAZY);
    ck_assert_ptr_nonnull(library);
    uint64_t function = (uint64_t)(uintptr_t)dlsym(library, "td_init");
    snapshot_here();
    snapshot->registers[REGISTER_RIP] = function;
    module_map_changed(modules);
    for (int i = 0; i < 2; i++) { /* from the tables, then from the cache */
        size_t count = walk_stack();
        ck_assert_uint_gt(count, 1);
        ck_assert_uint_eq(frames[0].stack_address, snapshot->registers[REGISTER_RSP] + 8);
    }
    ck_assert_int_eq(dlclose(library), 0);
    module_map_changed(modules);
    snapshot->registers[REGISTER_RBP] = 1;
    ck_assert_uint_eq(walk_stack(), 1); /* no rule is left of it */
    ck_assert(!is_complete);
    libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
}
END_TEST

/* --- Hostile stacks --- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

START_TEST(any_bytes_in_the_copy_are_survived)
{
    static struct snapshot_copy original;
    uint64_t random = 0x9e3779b97f4a7c15 + (uint64_t)_i;
    sort();
    memcpy(&original, &copy, sizeof(copy));
    for (int round = 0; round < 2000; round++) {
        size_t words = original.snapshot.stack_bytes / 8;
        memcpy(&copy, &original, sizeof(copy));
        for (uint64_t changes = 1 + next_random(&random) % 40; changes > 0; changes--) {
            uint64_t kind = next_random(&random) % 5;
            uint64_t value = next_random(&random);
            if (kind == 1)
                value = original.snapshot.stack_start + value % original.snapshot.stack_bytes;
            else if (kind == 2)
                memcpy(&value, original.stack + value % words * 8, 8);
            else if (kind == 3)
                value = original.snapshot.registers[REGISTER_RIP] + value % 65536;
            else if (kind == 4)
                value = (uint64_t)(uintptr_t)&labs + value % 65536;
            uint64_t place = next_random(&random) % (words + REGISTER_COUNT);
            if (place < words)
                memcpy(copy.stack + place * 8, &value, 8);
            else if (place - words != REGISTER_RSP)
                snapshot->registers[place - words] = value;
        }
        size_t count = walk_stack();
        ck_assert_uint_ge(count, 1);
        ck_assert_uint_le(count, MAX_FRAMES);
        if (round % 8 == 0)
            libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
    }
}
END_TEST

START_TEST(random_registers_and_sizes_are_survived)
{
    uint64_t random = 88172645463325252;
    snapshot->stack = copy.stack;
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < REGISTER_COUNT; i++)
            snapshot->registers[i] = next_random(&random) >> (next_random(&random) % 64);
        snapshot->stack_start =
            next_random(&random) % 2 ? snapshot->registers[REGISTER_RSP] : next_random(&random);
        snapshot->stack_bytes = next_random(&random) % (SNAPSHOT_STACK_BYTES + 1);
        if (next_random(&random) % 2)
            snapshot->registers[REGISTER_RIP] =
                (uint64_t)(uintptr_t)&labs + next_random(&random) % 100000;
        size_t count = walk_stack();
        ck_assert_uint_ge(count, 1);
    }
}
END_TEST

/* --- Generated code, without any tables --- */

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const uint8_t generated_code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

static void *generate_code(void)
{
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(code, MAP_FAILED);
    memcpy(code, generated_code, sizeof(generated_code));
    ck_assert_int_eq(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
    return code;
}

OPAQUE static void calls_generated(void *code)
{
    ((void (*)(void (*)(void)))code)(snapshot_here);
    sink++;
}

START_TEST(generated_code_is_passed_by_its_frame_pointer)
{
    void *code = generate_code();
    calls_generated(code);
    size_t count = walk_stack();
    size_t at = frame_of(snapshot_here, 1, count);
    ck_assert_uint_lt(at + 2, count);
    ck_assert_uint_eq(frames[at + 1].address, (uint64_t)(uintptr_t)code + 6);
    ck_assert_uint_eq(frame_of(calls_generated, at + 2, count), at + 2);
    ck_assert(is_complete);
    munmap(code, 4096);
}
END_TEST

START_TEST(the_entry_of_generated_code_returns_to_the_word_at_rsp)
{
    void *code = generate_code();
    calls_generated(code);
    size_t count = walk_stack();
    size_t generated = frame_of(snapshot_here, 1, count) + 1;
    ck_assert_uint_lt(generated + 1, count);
    uint64_t return_address = frames[generated + 1].address;
    uint64_t rsp = frames[generated].stack_address - 8;
    /* As if interrupted at the first instruction. */
    uint64_t skipped = rsp - snapshot->stack_start;
    memmove(copy.stack, copy.stack + skipped, snapshot->stack_bytes - skipped);
    snapshot->stack_bytes -= skipped;
    snapshot->stack_start = snapshot->registers[REGISTER_RSP] = rsp;
    snapshot->registers[REGISTER_RIP] = (uint64_t)(uintptr_t)code;
    snapshot->registers[REGISTER_RBP] = 0;
    count = walk_stack();
    ck_assert_uint_gt(count, 2);
    ck_assert_uint_eq(frames[1].address, return_address);
    ck_assert(is_complete);
    munmap(code, 4096);
}
END_TEST

/* --- Every instruction --- */

static struct {
    uint64_t steps, different, incomplete, reference_lost;
    uint64_t outermost; /* a CFA that all stacks have in common */
} stepped;

static bool reaches_outermost(const struct unwind_frame *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].stack_address == stepped.outermost)
            return true;
    }
    return false;
}

static bool is_beginning_of_reference(size_t count, size_t expected)
{
    for (size_t i = 0; i < count; i++) {
        if (i >= expected || frames[i].address != reference[i].address)
            return false;
    }
    return true;
}

/* The unwinder must find the way out, but for the few instructions whose tables say more than it
 * reads; where libunwind does, by the same frames. Where tables are wrong, in some epilogues,
 * libunwind gets lost. */
static bool is_right(size_t count, size_t expected)
{
    if (!is_complete)
        return is_beginning_of_reference(count, expected);
    if (!reaches_outermost(frames, count))
        return false;
    if (!reaches_outermost(reference, expected)) {
        stepped.reference_lost++;
        return true;
    }
    for (size_t i = 0; i < count && i < expected; i++) {
        if (frames[i].address != reference[i].address)
            return false;
    }
    return count == expected;
}

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    const ucontext_t *interrupted_context = context;
    snapshot_from_context(&copy, interrupted_context);
    size_t count = walk_stack();
    size_t expected = libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
    stepped.steps++;
    if (!is_complete)
        stepped.incomplete++;
    if (is_right(count, expected))
        return;
    if (stepped.different++ < 10) {
        fprintf(stderr, "step %lu: pc %lx: %zu frames, libunwind %zu\n", stepped.steps,
                frames[0].address, count, expected);
        for (size_t i = 0; i < count || i < expected; i++)
            fprintf(stderr, "  %lx %lx\n", i < count ? frames[i].address : 0,
                    i < expected ? reference[i].address : 0);
    }
}

/* Changes the flags; 0x100 is the trap flag. */
#define WITH_FLAGS(CHANGE)                                                                         \
    "pushfq\n\t.cfi_adjust_cfa_offset 8\n\t" CHANGE "\n\tpopfq\n\t.cfi_adjust_cfa_offset -8"

OPAQUE static void step_through(void (*function)(void))
{
    __asm__ volatile(WITH_FLAGS("orq $0x100, (%%rsp)")::: "memory", "cc");
    function();
    __asm__ volatile(WITH_FLAGS("andq $~0x100, (%%rsp)")::: "memory", "cc");
}

OPAQUE static void call_library(void)
{
    char text[64];
    sink += (uint64_t)snprintf(text, sizeof(text), "%d %s %g", 17, "text", 1.5);
    sink += strtoul(text, NULL, 10);
    free(calloc(3, 5));
}

OPAQUE static void bind_lazily(void)
{
    sink += (uint64_t)getppid() + (uint64_t)labs(-3) + (uint64_t)lrand48();
}

OPAQUE static void jump(void)
{
    jmp_buf buffer;
    if (setjmp(buffer) == 0) {
        sink++;
        longjmp(buffer, 1);
    }
    sink++;
}

OPAQUE static void raise_signal(void)
{
    interrupted();
    sink++;
}

OPAQUE static void keep_signal(int number)
{
    (void)number;
    sink++;
}

static void nothing_to_do(void *context)
{
    (void)context;
}

OPAQUE static void with_cleanup(void)
{
    pthread_cleanup_push(nothing_to_do, NULL);
    sink += (uint64_t)pthread_self();
    pthread_cleanup_pop(1);
}

static void (*const stepped_functions[])(void) = {
    sort, call_library, bind_lazily, jump, raise_signal, with_cleanup, calls_keeps_old_rsp,
};

START_TEST(at_every_instruction_the_callers_are_those_libunwind_finds)
{
    struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
    struct sigaction keep = { .sa_handler = keep_signal };
    memset(&stepped, 0, sizeof(stepped));
    snapshot_here();
    size_t count = walk_stack();
    ck_assert_uint_gt(count, 3);
    stepped.outermost = frames[count - 2].stack_address;
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGUSR1, &keep, NULL);
    step_through(stepped_functions[_i]);
    ck_assert_uint_gt(stepped.steps, 20);
    ck_assert_uint_eq(stepped.different, 0);
    ck_assert_uint_lt(stepped.incomplete, 1 + stepped.steps / 50);
    ck_assert_uint_lt(stepped.reference_lost, 1 + stepped.steps / 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.unwinder");
    TCase *stacks = tcase_create("stacks");
    tcase_add_checked_fixture(stacks, setup, teardown);
    tcase_set_timeout(stacks, 60);
    tcase_add_test(stacks, every_shape_of_frame_leads_to_its_caller);
    tcase_add_test(stacks, what_no_rule_can_say_the_tables_say);
    tcase_add_test(stacks, a_signal_handler_leads_to_what_it_interrupted);
    tcase_add_test(stacks, an_interrupted_first_instruction_is_not_taken_for_the_function_before);
    tcase_add_test(stacks, a_thread_ends_at_its_root);
    tcase_add_test(stacks, a_root_address_ends_the_walk_before_its_frame);
    tcase_add_test(stacks, capacity_bounds_the_walk);
    tcase_add_test(stacks, a_truncated_copy_ends_broken_and_not_wrong);
    tcase_add_test(stacks, threads_unwind_at_once_while_libraries_come_and_go);
    tcase_add_test(stacks, a_handler_unwinds_whatever_it_interrupts);
    tcase_add_test(stacks, handlers_at_any_moment_change_nothing);
    tcase_add_test(stacks, a_library_that_is_gone_is_not_looked_into);
    tcase_add_loop_test(stacks, any_bytes_in_the_copy_are_survived, 0, 4);
    tcase_add_test(stacks, random_registers_and_sizes_are_survived);
    tcase_add_test(stacks, generated_code_is_passed_by_its_frame_pointer);
    tcase_add_test(stacks, the_entry_of_generated_code_returns_to_the_word_at_rsp);
    tcase_add_loop_test(stacks, at_every_instruction_the_callers_are_those_libunwind_finds, 0,
                        sizeof(stepped_functions) / sizeof(stepped_functions[0]));
    suite_add_tcase(suite, stacks);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
