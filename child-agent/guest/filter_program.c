#include "child-agent/guest/filter_program.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>

enum {
    MOST_STEPS = 16 * 1024, /* Chromium's filters take some hundreds */
    MOST_DEPTH = 32,        /* of decisions whose outcome is not known */
};

/* A number of the filter's, or that it is not known. */
struct value {
    uint32_t number;
    bool is_known;
};

struct registers {
    struct value a, x;
    struct value memory[BPF_MEMWORDS];
};

struct run {
    const struct sock_fprog *program;
    const struct filtered_call *call;
    unsigned steps_left, depth;
    bool (*is_wanted)(uint32_t answer);
};

static struct value known_value(uint32_t number)
{
    return (struct value){ number, true };
}

/* Half of an argument, of the 32 bits at OFFSET. */
static struct value argument_at(const struct filtered_call *call, uint32_t offset)
{
    uint32_t index = (offset - offsetof(struct seccomp_data, args)) / sizeof(uint64_t);
    bool is_high = offset % sizeof(uint64_t) != 0;
    if (index >= FILTERED_CALL_ARGUMENTS || !(call->known & 1U << index))
        return (struct value){ 0 };
    return known_value((uint32_t)(call->arguments[index] >> (is_high ? 32 : 0)));
}

static struct value data_at(const struct filtered_call *call, uint32_t offset)
{
    if (offset == offsetof(struct seccomp_data, nr))
        return known_value((uint32_t)call->number);
    if (offset == offsetof(struct seccomp_data, arch))
        return known_value(AUDIT_ARCH_X86_64);
    if (offset < offsetof(struct seccomp_data, args))
        return (struct value){ 0 }; /* where the call is made from */
    return argument_at(call, offset);
}

static struct value calculate_value(uint16_t code, struct value a, struct value operand)
{
    uint32_t by = operand.number;
    if (!a.is_known || !operand.is_known)
        return (struct value){ 0 };
    switch (BPF_OP(code)) {
    case BPF_ADD:
        return known_value(a.number + by);
    case BPF_SUB:
        return known_value(a.number - by);
    case BPF_MUL:
        return known_value(a.number * by);
    case BPF_DIV:
        return by != 0 ? known_value(a.number / by) : (struct value){ 0 };
    case BPF_AND:
        return known_value(a.number & by);
    case BPF_OR:
        return known_value(a.number | by);
    case BPF_XOR:
        return known_value(a.number ^ by);
    case BPF_LSH:
        return known_value(by < 32 ? a.number << by : 0);
    case BPF_RSH:
        return known_value(by < 32 ? a.number >> by : 0);
    case BPF_NEG:
        return known_value(-a.number);
    default:
        return (struct value){ 0 };
    }
}

static bool compare_numbers(uint16_t code, uint32_t a, uint32_t operand)
{
    switch (BPF_OP(code)) {
    case BPF_JEQ:
        return a == operand;
    case BPF_JGT:
        return a > operand;
    case BPF_JGE:
        return a >= operand;
    default:
        return (a & operand) != 0;
    }
}

static struct value load_value(const struct run *run, const struct registers *registers,
                               const struct sock_filter *line)
{
    switch (BPF_MODE(line->code)) {
    case BPF_ABS:
        return data_at(run->call, line->k);
    case BPF_IMM:
        return known_value(line->k);
    case BPF_LEN:
        return known_value(sizeof(struct seccomp_data));
    case BPF_MEM:
        return line->k < BPF_MEMWORDS ? registers->memory[line->k] : (struct value){ 0 };
    default:
        return (struct value){ 0 };
    }
}

static void store_value(struct registers *registers, uint32_t place, struct value value)
{
    if (place < BPF_MEMWORDS)
        registers->memory[place] = value;
}

/* Lines that neither jump nor return. */
static void take_line(const struct run *run, struct registers *registers,
                      const struct sock_filter *line)
{
    struct value operand = BPF_SRC(line->code) == BPF_X ? registers->x : known_value(line->k);
    switch (BPF_CLASS(line->code)) {
    case BPF_LD:
        registers->a = load_value(run, registers, line);
        break;
    case BPF_LDX:
        registers->x = load_value(run, registers, line);
        break;
    case BPF_ST:
        store_value(registers, line->k, registers->a);
        break;
    case BPF_STX:
        store_value(registers, line->k, registers->x);
        break;
    case BPF_ALU:
        registers->a = calculate_value(line->code, registers->a, operand);
        break;
    default:
        if (BPF_MISCOP(line->code) == BPF_TAX)
            registers->x = registers->a;
        else
            registers->a = registers->x;
        break;
    }
}

static bool is_answer_wanted(const struct run *run, const struct registers *registers,
                             const struct sock_filter *line)
{
    struct value answer = BPF_RVAL(line->code) == BPF_A ? registers->a : known_value(line->k);
    return answer.is_known && run->is_wanted(answer.number & SECCOMP_RET_ACTION_FULL);
}

/* The line after the decision at AT; -1: that depends on what is not known. */
static int64_t next_after(const struct run *run, const struct registers *registers, uint64_t at)
{
    const struct sock_filter *line = &run->program->filter[at];
    struct value operand = BPF_SRC(line->code) == BPF_X ? registers->x : known_value(line->k);
    if (BPF_OP(line->code) == BPF_JA)
        return (int64_t)(at + 1 + line->k);
    if (!registers->a.is_known || !operand.is_known)
        return -1;
    bool is_true = compare_numbers(line->code, registers->a.number, operand.number);
    return (int64_t)(at + 1 + (is_true ? line->jt : line->jf));
}

/* From line AT on. On stacks of threads that may be small: only an unknown decision goes deeper. */
static bool runs_to_wanted(struct run *run, struct registers registers, uint64_t at)
{
    while (at < run->program->len && run->steps_left > 0) {
        const struct sock_filter *line = &run->program->filter[at];
        run->steps_left--;
        if (BPF_CLASS(line->code) == BPF_RET)
            return is_answer_wanted(run, &registers, line);
        if (BPF_CLASS(line->code) != BPF_JMP) {
            take_line(run, &registers, line);
            at++;
            continue;
        }
        int64_t next = next_after(run, &registers, at);
        if (next < 0) {
            if (run->depth == MOST_DEPTH)
                return false;
            run->depth++;
            bool is_wanted = runs_to_wanted(run, registers, at + 1 + line->jt);
            run->depth--;
            if (!is_wanted)
                return false;
            next = (int64_t)(at + 1 + line->jf);
        }
        at = (uint64_t)next;
    }
    return false;
}

static bool is_allowed(uint32_t answer)
{
    return answer == SECCOMP_RET_ALLOW;
}

static bool is_refused(uint32_t answer)
{
    return answer != SECCOMP_RET_ALLOW && answer != SECCOMP_RET_LOG &&
           answer != SECCOMP_RET_USER_NOTIF && answer != SECCOMP_RET_TRACE;
}

static bool run_program(const struct sock_fprog *program, const struct filtered_call *call,
                        bool (*is_wanted)(uint32_t answer))
{
    struct run run = { program, call, MOST_STEPS, 0, is_wanted };
    const struct registers registers = { .a = known_value(0), .x = known_value(0) };
    return runs_to_wanted(&run, registers, 0);
}

bool filter_program_allows(const struct sock_fprog *program, const struct filtered_call *call)
{
    return run_program(program, call, is_allowed);
}

bool filter_program_refuses(const struct sock_fprog *program, const struct filtered_call *call)
{
    return run_program(program, call, is_refused);
}
