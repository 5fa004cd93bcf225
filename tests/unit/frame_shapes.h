/* Functions whose frames have many shapes. Each does something after its call, which is no tail
 * call for that. */
#ifndef TESTS_UNIT_FRAME_SHAPES_H
#define TESTS_UNIT_FRAME_SHAPES_H

#include <alloca.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tests/unit/unwinder_scene.h"

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

OPAQUE static void calls_keeps_old_rsp(void)
{
    keeps_old_rsp(snapshot_here);
    sink++;
}

OPAQUE static void interrupted(void)
{
    raise(SIGUSR1);
    sink++;
}

#endif
