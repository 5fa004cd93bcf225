/* Interposed: calls that a program makes by their number. Those that set filters are noticed, and
 * those that end a thread. All go to the kernel as the C library makes them: without a frame, since
 * some children share the stack with who made them. The number stays below the stack's end, so that
 * a call that our signal cut short can be made again. */
#include <errno.h>
#include <sys/syscall.h>

#include "child-agent/core.h"
#include "child-agent/guest/call_by_number_x86_64.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/interpose/interpose_filters.h"
#include "child-agent/threads/thread_registry.h"

/* For the code below. */
void interpose_syscall_notice(long number, unsigned long first, unsigned long second);
long interpose_syscall_fail(long error);

void interpose_syscall_notice(long number, unsigned long first, unsigned long second)
{
    int saved_errno = errno;
    if (number == SYS_prctl)
        interpose_filters_before_prctl((int)first, second);
    else if (number == SYS_seccomp)
        interpose_filters_before_seccomp((unsigned)first);
    else if (core.is_enabled && !atomic_load(&core.has_filter))
        thread_registry_leave_without_destructors();
    errno = saved_errno;
}

long interpose_syscall_fail(long error)
{
    errno = (int)-error;
    return -1;
}

PROFD_INTERPOSED long syscall(long number, ...);

/* 60 is exit, 157 is prctl, 317 is seccomp. */
_Static_assert(SYS_exit == 60 && SYS_prctl == 157 && SYS_seccomp == 317,
               "as the code below has them");
_Static_assert(CALL_BY_NUMBER_OFFSET == -8, "as the code below has it");

__asm__(".text\n"
        ".globl syscall\n"
        ".globl call_by_number_was_made\n"
        ".type syscall, @function\n"
        ".p2align 4\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    cmpl $60, %edi\n"
        "    je 2f\n"
        "    cmpl $157, %edi\n"
        "    je 2f\n"
        "    cmpl $317, %edi\n"
        "    je 2f\n"
        "1:  movq %rdi, -8(%rsp)\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        ".hidden call_by_number_was_made\n"
        "call_by_number_was_made:\n"
        "    cmpq $-4095, %rax\n"
        "    jae 3f\n"
        "    ret\n"
        "2:  pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r8\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r9\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call interpose_syscall_notice\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r9\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r8\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp 1b\n"
        "3:  movq %rax, %rdi\n"
        "    jmp interpose_syscall_fail\n"
        "    .cfi_endproc\n"
        ".size syscall, .-syscall\n");
