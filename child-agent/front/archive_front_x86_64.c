/* The front of libprofd.a: the public functions, each a jump to where its slot points. No frame, no
 * register touched: stacks that markers capture begin at the program's own function. */
#include "child-agent/front/archive_calls.h"

/* At first a slot points behind the jump, where the slot's offset is pushed for .Lfirst_call. */
#define ENTRY(NAME)                                                                                \
    ".pushsection .text\n"                                                                         \
    ".p2align 4\n"                                                                                 \
    ".globl " #NAME "\n"                                                                           \
    ".type " #NAME ", @function\n" #NAME ":\n"                                                     \
    ".cfi_startproc\n"                                                                             \
    "jmp *.Lslot_" #NAME "(%rip)\n"                                                                \
    ".Lfirst_" #NAME ":\n"                                                                         \
    "pushq $.Lslot_" #NAME " - archive_slots\n"                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "jmp .Lfirst_call\n"                                                                           \
    ".cfi_endproc\n"                                                                               \
    ".size " #NAME ", . - " #NAME "\n"                                                             \
    ".popsection\n"                                                                                \
    ".Lslot_" #NAME ": .quad .Lfirst_" #NAME "\n"

#define PUSH(REGISTER) "pushq %" #REGISTER "\n.cfi_adjust_cfa_offset 8\n"
#define POP(REGISTER)  "popq %" #REGISTER "\n.cfi_adjust_cfa_offset -8\n"

__asm__(".pushsection .data\n"
        ".p2align 3\n"
        ".globl archive_slots\n"
        ".hidden archive_slots\n"
        ".type archive_slots, @object\n"
        "archive_slots:\n" AGENT_CALLS(ENTRY) ".size archive_slots, . - archive_slots\n"
                                              ".popsection\n");

/* Finds the agent with all arguments kept (none is a floating point number), then goes where the
 * slot points. */
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".type .Lfirst_call, @function\n"
        ".Lfirst_call:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 16\n" /* the return address, and the slot's offset */
        PUSH(rdi) PUSH(rsi) PUSH(rdx) PUSH(rcx) PUSH(r8) PUSH(r9) PUSH(rax) /* */
        "subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call archive_find_agent\n"
        "addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"                                         /* */
        POP(rax) POP(r9) POP(r8) POP(rcx) POP(rdx) POP(rsi) POP(rdi) POP(r11) /* the offset */
        "leaq archive_slots(%rip), %r10\n"
        "jmp *(%r10, %r11)\n"
        ".cfi_endproc\n"
        ".popsection\n");
