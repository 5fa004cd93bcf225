#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>

#include "profctl/view/disassembly.h"

enum { TEXT_BYTES = 256 };

static int tell_instruction(const cs_insn *instruction, uint64_t offset, disassembly_told *told,
                            void *owner)
{
    char text[TEXT_BYTES];

    snprintf(text, sizeof(text), "%s%s%s", instruction->mnemonic,
             instruction->op_str[0] != '\0' ? " " : "", instruction->op_str);
    return told(owner, offset, text);
}

static int tell_all(csh engine, cs_insn *instruction, const uint8_t *code, size_t count,
                    uint64_t address, disassembly_told *told, void *owner)
{
    const uint8_t *at = code;
    size_t left = count;
    int error = 0;

    while (left > 0 && error == 0) {
        uint64_t offset = count - left, next = address + offset;
        if (cs_disasm_iter(engine, &at, &left, &next, instruction)) {
            error = tell_instruction(instruction, offset, told, owner);
            continue;
        }
        error = told(owner, offset, "(bad)");
        at++;
        left--;
    }
    return error;
}

int disassemble(const uint8_t *code, size_t count, uint64_t address, disassembly_told *told,
                void *owner)
{
    csh engine;

    if (cs_open(CS_ARCH_X86, CS_MODE_64, &engine) != CS_ERR_OK)
        return -ENOMEM;
    cs_insn *instruction = cs_malloc(engine);
    int error = instruction != NULL
                    ? tell_all(engine, instruction, code, count, address, told, owner)
                    : -ENOMEM;
    if (instruction != NULL)
        cs_free(instruction, 1);
    (void)cs_close(&engine);
    return error;
}
