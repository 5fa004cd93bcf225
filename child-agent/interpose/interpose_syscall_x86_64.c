/* Interposed: calls that a program makes by their number. Those that set filters or masks of
 * signals are noticed, those that end a thread, and those that copy the process. All go to the
 * kernel as the C library makes them: without a frame, since some children share the stack with who
 * made them. The number stays below the stack's end, so that a call that our signal cut short can
 * be made again. */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "child-agent/core.h"
#include "child-agent/fork.h"
#include "child-agent/guest/call_by_number_x86_64.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/interpose/interpose_copies.h"
#include "child-agent/interpose/interpose_filters.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/thread_registry.h"

/* For the code below. */
int interpose_syscall_notice(long number, unsigned long first, unsigned long second,
                             unsigned long third);
long interpose_syscall_copy(long number, long first, long second, long third, long fourth,
                            long fifth);
long interpose_syscall_fail(long error);
long interpose_syscall_change_mask(long number, int how, const uint64_t *set, uint64_t *old_set,
                                   size_t bytes);

/* The arguments of clone3() are read as the kernel reads them: what is not there is its error. */
static bool clone3_makes_copy(unsigned long address, size_t bytes)
{
    struct clone_args arguments;
    return bytes >= CLONE_ARGS_SIZE_VER0 &&
           process_memory_read(address, &arguments, CLONE_ARGS_SIZE_VER0) == 0 &&
           interpose_copies_follows(arguments.flags) && arguments.stack == 0;
}

/* Whether the call makes a child that goes on here, on a copy of this stack. */
static bool makes_copy(long number, unsigned long first, unsigned long second)
{
    if (number == SYS_fork)
        return true;
    if (number == SYS_clone)
        return interpose_copies_follows(first) && second == 0;
    return number == SYS_clone3 && clone3_makes_copy(first, second);
}

/* 1: the call is to be made by interpose_syscall_copy(). */
int interpose_syscall_notice(long number, unsigned long first, unsigned long second,
                             unsigned long third)
{
    int saved_errno = errno;
    bool may_look = core.is_enabled && !atomic_load(&core.has_filter);
    bool is_copy = may_look && makes_copy(number, first, second) && fork_copy_begin();
    if (number == SYS_prctl)
        interpose_filters_before_prctl((int)first, second, third);
    else if (number == SYS_seccomp)
        interpose_filters_before_seccomp((unsigned)first, second, third);
    else if (number == SYS_exit && may_look)
        thread_registry_leave_without_destructors();
    errno = saved_errno;
    return is_copy;
}

static long make_call(long number, long first, long second, long third, long fourth, long fifth)
{
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

long interpose_syscall_copy(long number, long first, long second, long third, long fourth,
                            long fifth)
{
    int saved_errno = errno;
    long result = make_call(number, first, second, third, fourth, fifth);
    if (result == 0)
        fork_copy_end_in_child();
    else
        fork_copy_end_in_parent();
    errno = saved_errno;
    return result >= 0 ? result : interpose_syscall_fail(result);
}

long interpose_syscall_fail(long error)
{
    errno = (int)-error;
    return -1;
}

/* The kernel is asked first: some programs ask it in this way whether memory can be read. */
long interpose_syscall_change_mask(long number, int how, const uint64_t *set, uint64_t *old_set,
                                   size_t bytes)
{
    struct raw_mask_change change;
    int saved_errno = errno;
    thread_mask_before_raw(&change);
    long result = make_call(number, how, (long)set, (long)old_set, (long)bytes, 0);
    if (result < 0)
        return interpose_syscall_fail(result);
    thread_mask_after_raw(&change, how, set, old_set);
    errno = saved_errno;
    return result;
}

PROFD_INTERPOSED long syscall(long number, ...);

/* 14 is rt_sigprocmask, 56 clone, 57 fork, 60 exit, 157 prctl, 317 seccomp, 435 clone3. */
_Static_assert(SYS_rt_sigprocmask == 14 && SYS_clone == 56 && SYS_fork == 57 && SYS_exit == 60 &&
                   SYS_prctl == 157 && SYS_seccomp == 317 && SYS_clone3 == 435,
               "as the code below has them");
_Static_assert(CALL_BY_NUMBER_OFFSET == -8, "as the code below has it");

__asm__(".text\n"
        ".globl syscall\n"
        ".globl call_by_number_was_made\n"
        ".type syscall, @function\n"
        ".p2align 4\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    cmpl $14, %edi\n"
        "    je 4f\n"
        "    cmpl $56, %edi\n"
        "    je 2f\n"
        "    cmpl $57, %edi\n"
        "    je 2f\n"
        "    cmpl $60, %edi\n"
        "    je 2f\n"
        "    cmpl $157, %edi\n"
        "    je 2f\n"
        "    cmpl $317, %edi\n"
        "    je 2f\n"
        "    cmpl $435, %edi\n"
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
        "    testl %eax, %eax\n"
        "    jz 1b\n"
        "    jmp interpose_syscall_copy\n"
        "3:  movq %rax, %rdi\n"
        "    jmp interpose_syscall_fail\n"
        "4:  jmp interpose_syscall_change_mask\n"
        "    .cfi_endproc\n"
        ".size syscall, .-syscall\n");
