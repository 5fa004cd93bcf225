/* Code that moves the stack pointer by what is known only when it runs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/unwinding/fixed_frame.h"
#include "tests/unit/run_suite.h"

enum { CODE_BYTES = 8 };

static const struct {
    const char *text;
    uint8_t code[CODE_BYTES];
    bool is_fixed;
} instructions[] = {
    { "push %rbp; mov %rsp,%rbp; sub $8,%rsp",
      { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 8 },
      true },
    { "sub $0x1000,%rsp", { 0x48, 0x81, 0xec, 0, 0x10, 0, 0 }, true },
    { "lea -0x28(%rbp),%rsp", { 0x48, 0x8d, 0x65, 0xd8 }, true },
    { "lea 8(%rsp),%rsp", { 0x48, 0x8d, 0x64, 0x24, 8 }, true },
    { "lea 8(%rsp),%rdi", { 0x48, 0x8d, 0x7c, 0x24, 8 }, true },
    { "mov %rbp,%rsp", { 0x48, 0x89, 0xec }, true },
    { "mov (%rsp),%rax", { 0x48, 0x8b, 0x04, 0x24 }, true },
    { "mov %rsp,%rax", { 0x48, 0x89, 0xe0 }, true },
    { "sub %r12,%rax", { 0x4c, 0x29, 0xe0 }, true },
    { "and $-16,%r12", { 0x49, 0x83, 0xe4, 0xf0 }, true },
    { "sub %rax,%rsp", { 0x48, 0x29, 0xc4 }, false },
    { "sub %r8,%rsp", { 0x4c, 0x29, 0xc4 }, false },
    { "sub 8(%rdi),%rsp", { 0x48, 0x2b, 0x67, 8 }, false },
    { "add %rax,%rsp", { 0x48, 0x01, 0xc4 }, false },
    { "mov %rax,%rsp", { 0x48, 0x89, 0xc4 }, false },
    { "mov %r13,%rsp", { 0x4c, 0x89, 0xec }, false },
    { "mov 8(%rdi),%rsp", { 0x48, 0x8b, 0x67, 8 }, false },
    { "mov -8(%rbp),%rsp", { 0x48, 0x8b, 0x65, 0xf8 }, false },
    { "lea -8(%r13),%rsp", { 0x49, 0x8d, 0x65, 0xf8 }, false },
    { "lea (%rsp,%rax),%rsp", { 0x48, 0x8d, 0x24, 0x04 }, false },
    { "and $-16,%rsp", { 0x48, 0x83, 0xe4, 0xf0 }, false },
    { "and $-4096,%rsp", { 0x48, 0x81, 0xe4, 0, 0xf0, 0xff, 0xff }, false },
    { "xchg %rax,%rsp", { 0x48, 0x87, 0xc4 }, false },
    { "nop; sub %rax,%rsp", { 0x90, 0x48, 0x29, 0xc4 }, false },
};

START_TEST(instructions_tell)
{
    ck_assert_msg(fixed_frame_code(instructions[_i].code, CODE_BYTES) == instructions[_i].is_fixed,
                  "%s", instructions[_i].text);
}
END_TEST

START_TEST(short_code_is_not_read_beyond_its_end)
{
    static const uint8_t code[] = { 0x48, 0x29, 0xc4, 0xc3 };

    ck_assert(!fixed_frame_code(code, sizeof(code)));
    ck_assert(fixed_frame_code(code, 0));
    for (size_t bytes = 1; bytes < sizeof(code); bytes++) {
        uint8_t *part = malloc(bytes);
        ck_assert_ptr_nonnull(part);
        memcpy(part, code, bytes);
        ck_assert(fixed_frame_code(part, bytes));
        free(part);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.unwinding.fixed_frame");
    TCase *tcase = tcase_create("fixed_frame");
    tcase_add_loop_test(tcase, instructions_tell, 0, sizeof(instructions) / sizeof(*instructions));
    tcase_add_test(tcase, short_code_is_not_read_beyond_its_end);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
