/* child-agent.unwinder against libunwind's cursor and against what is known: whole stacks,
 * libraries that come and go, and generated code. */
#pragma GCC optimize("omit-frame-pointer")

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>

#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/frame_shapes.h"
#include "tests/unit/run_suite.h"

/* Whether FUNCTION, of fewer than 400 bytes, is in one of the frames from FIRST on. */
static size_t frame_of(const void *function, size_t first, size_t count)
{
    for (size_t i = first; i < count; i++) {
        if (frames[i].address - 1 - (uint64_t)(uintptr_t)function < 400)
            return i;
    }
    return MAX_FRAMES;
}

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

OPAQUE static void calls_keeps_return_address(void)
{
    keeps_return_address(snapshot_here);
    sink++;
}

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

START_TEST(a_root_address_ends_the_walk)
{
    sort();
    size_t all = walk_stack();
    for (size_t i = 1; i < all; i++) {
        uint64_t root = frames[i].stack_address;
        size_t count = unwinder_walk(unwinder, snapshot, root, frames, MAX_FRAMES, &is_complete);
        ck_assert_uint_eq(count, i + 1); /* that which ends there is the last */
        ck_assert(is_complete);
        count = unwinder_walk(unwinder, snapshot, root - 1, frames, MAX_FRAMES, &is_complete);
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
    tcase_add_test(stacks, a_root_address_ends_the_walk);
    tcase_add_test(stacks, capacity_bounds_the_walk);
    tcase_add_test(stacks, a_truncated_copy_ends_broken_and_not_wrong);
    tcase_add_test(stacks, a_library_that_is_gone_is_not_looked_into);
    tcase_add_test(stacks, generated_code_is_passed_by_its_frame_pointer);
    tcase_add_test(stacks, the_entry_of_generated_code_returns_to_the_word_at_rsp);
    suite_add_tcase(suite, stacks);
    return run_suite(suite);
}
