#include "child-agent/unwinding/frame_operations.h"

#include <errno.h>
#include <string.h>

enum {
    DWARF_RBP = 6,
    MAX_SAVED_ROWS = 8,          /* nested DW_CFA_remember_state; compilers nest one */
    MAX_OPERATIONS = 100 * 1000, /* for one address; real functions have a few hundred */
};

enum call_frame_operation {
    DW_CFA_nop = 0x00,
    DW_CFA_set_loc = 0x01,
    DW_CFA_advance_loc1 = 0x02,
    DW_CFA_advance_loc2 = 0x03,
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_offset_extended = 0x05,
    DW_CFA_restore_extended = 0x06,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_register = 0x09,
    DW_CFA_remember_state = 0x0a,
    DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa = 0x0c,
    DW_CFA_def_cfa_register = 0x0d,
    DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_offset_extended_sf = 0x11,
    DW_CFA_def_cfa_sf = 0x12,
    DW_CFA_def_cfa_offset_sf = 0x13,
    DW_CFA_val_offset = 0x14,
    DW_CFA_val_offset_sf = 0x15,
    DW_CFA_val_expression = 0x16,
    DW_CFA_GNU_args_size = 0x2e,
    DW_CFA_advance_loc = 0x40, /* the upper two bits; the lower six are the operand */
    DW_CFA_offset = 0x80,
    DW_CFA_restore = 0xc0,
};

struct machine {
    const struct common_information *cie;
    uint64_t header_address;
    uint64_t location; /* the row is that from here on */
    uint64_t wanted;
    uint32_t other; /* register that is of interest, too */
    struct frame_row row;
    struct frame_row initial; /* what the CIE says, for DW_CFA_restore */
    struct frame_row saved[MAX_SAVED_ROWS];
    uint32_t saved_count;
    uint32_t operations;
};

/* The rule of a register that is of interest, else one that is written for nothing. */
static struct register_rule *rule_of(struct machine *machine, struct frame_row *row,
                                     uint64_t number, struct register_rule *ignored)
{
    if (number == machine->cie->return_register)
        return &row->return_address;
    if (number == DWARF_RBP)
        return &row->rbp;
    return number == machine->other ? &row->other : ignored;
}

static void set_rule(struct machine *machine, uint64_t number, struct register_rule rule)
{
    struct register_rule ignored;
    *rule_of(machine, &machine->row, number, &ignored) = rule;
}

static void set_place(struct machine *machine, uint64_t number, enum register_place place)
{
    set_rule(machine, number, (struct register_rule){ .place = place });
}

static int64_t scale_offset(const struct machine *machine, int64_t factor)
{
    return (int64_t)((uint64_t)factor * (uint64_t)machine->cie->data_alignment);
}

static void set_offset(struct machine *machine, uint64_t number, int64_t offset)
{
    set_rule(machine, number,
             (struct register_rule){ .place = REGISTER_AT_OFFSET, .offset = offset });
}

static void restore_rule(struct machine *machine, uint64_t number)
{
    struct register_rule ignored = { .place = REGISTER_SAME };
    set_rule(machine, number, *rule_of(machine, &machine->initial, number, &ignored));
}

static uint32_t register_number(uint64_t number)
{
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static void define_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
    machine->row.is_cfa_expression = false;
    machine->row.cfa_register = register_number(number);
    machine->row.cfa_offset = offset;
}

static void advance_location(struct machine *machine, uint64_t delta)
{
    machine->location += delta * machine->cie->code_alignment;
}

static void remember_row(struct machine *machine, struct frame_reader *reader)
{
    if (machine->saved_count == MAX_SAVED_ROWS)
        frame_reader_fail(reader, -ENOTSUP);
    else
        machine->saved[machine->saved_count++] = machine->row;
}

static void recall_row(struct machine *machine, struct frame_reader *reader)
{
    if (machine->saved_count == 0)
        frame_reader_fail(reader, -EINVAL);
    else
        machine->row = machine->saved[--machine->saved_count];
}

/* Operations on the CFA. False: it is another operation. */
static bool run_cfa_operation(struct machine *machine, struct frame_reader *reader,
                              uint8_t operation)
{
    struct frame_row *row = &machine->row;
    uint64_t number;
    switch (operation) {
    case DW_CFA_def_cfa:
        number = frame_read_uleb128(reader);
        define_cfa(machine, number, (int64_t)frame_read_uleb128(reader));
        return true;
    case DW_CFA_def_cfa_sf:
        number = frame_read_uleb128(reader);
        define_cfa(machine, number, scale_offset(machine, frame_read_sleb128(reader)));
        return true;
    case DW_CFA_def_cfa_register:
        define_cfa(machine, frame_read_uleb128(reader), row->cfa_offset);
        return true;
    case DW_CFA_def_cfa_offset:
        define_cfa(machine, row->cfa_register, (int64_t)frame_read_uleb128(reader));
        return true;
    case DW_CFA_def_cfa_offset_sf:
        define_cfa(machine, row->cfa_register, scale_offset(machine, frame_read_sleb128(reader)));
        return true;
    case DW_CFA_def_cfa_expression:
        row->is_cfa_expression = true;
        row->cfa_expression = frame_read_block(reader);
        return true;
    default:
        return false;
    }
}

/* Operations whose first operand is the number of a register, which is not to become the CFA's. */
static bool names_register(uint8_t operation)
{
    return (operation >= DW_CFA_offset_extended && operation <= DW_CFA_register) ||
           operation == DW_CFA_expression || operation == DW_CFA_offset_extended_sf ||
           (operation >= DW_CFA_val_offset && operation <= DW_CFA_val_expression);
}

/* Operations on other registers. False: it is another operation. */
static bool run_register_operation(struct machine *machine, struct frame_reader *reader,
                                   uint8_t operation)
{
    if (!names_register(operation))
        return false;
    struct register_rule rule = { .place = REGISTER_AT_EXPRESSION };
    uint64_t number = frame_read_uleb128(reader);
    switch (operation) {
    case DW_CFA_offset_extended:
        set_offset(machine, number, scale_offset(machine, (int64_t)frame_read_uleb128(reader)));
        return true;
    case DW_CFA_offset_extended_sf:
        set_offset(machine, number, scale_offset(machine, frame_read_sleb128(reader)));
        return true;
    case DW_CFA_restore_extended:
        restore_rule(machine, number);
        return true;
    case DW_CFA_undefined:
        set_place(machine, number, REGISTER_UNDEFINED);
        return true;
    case DW_CFA_same_value:
        set_place(machine, number, REGISTER_SAME);
        return true;
    case DW_CFA_expression:
        rule.expression = frame_read_block(reader);
        set_rule(machine, number, rule);
        return true;
    case DW_CFA_val_expression:
        frame_read_block(reader);
        set_place(machine, number, REGISTER_ELSEWHERE);
        return true;
    case DW_CFA_register:
        rule.place = REGISTER_IN_REGISTER;
        rule.number = register_number(frame_read_uleb128(reader));
        set_rule(machine, number, rule);
        return true;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        frame_read_uleb128(reader);
        set_place(machine, number, REGISTER_ELSEWHERE);
        return true;
    default:
        return false;
    }
}

static void run_other_operation(struct machine *machine, struct frame_reader *reader,
                                uint8_t operation)
{
    switch (operation) {
    case DW_CFA_nop:
        break;
    case DW_CFA_set_loc:
        machine->location =
            frame_read_pointer(reader, machine->cie->pointer_encoding, machine->header_address);
        break;
    case DW_CFA_advance_loc1:
        advance_location(machine, frame_read_unsigned(reader, 1));
        break;
    case DW_CFA_advance_loc2:
        advance_location(machine, frame_read_unsigned(reader, 2));
        break;
    case DW_CFA_advance_loc4:
        advance_location(machine, frame_read_unsigned(reader, 4));
        break;
    case DW_CFA_remember_state:
        remember_row(machine, reader);
        break;
    case DW_CFA_restore_state:
        recall_row(machine, reader);
        break;
    case DW_CFA_GNU_args_size:
        frame_read_uleb128(reader);
        break;
    default:
        frame_reader_fail(reader, -ENOTSUP);
    }
}

static void run_operation(struct machine *machine, struct frame_reader *reader)
{
    uint8_t operation = (uint8_t)frame_read_unsigned(reader, 1);
    uint8_t operand = operation & 0x3f;
    switch (operation & 0xc0) {
    case DW_CFA_advance_loc:
        advance_location(machine, operand);
        return;
    case DW_CFA_offset:
        set_offset(machine, operand, scale_offset(machine, (int64_t)frame_read_uleb128(reader)));
        return;
    case DW_CFA_restore:
        restore_rule(machine, operand);
        return;
    default:
        if (!run_cfa_operation(machine, reader, operation) &&
            !run_register_operation(machine, reader, operation))
            run_other_operation(machine, reader, operation);
    }
}

/* Runs until the row for the wanted address is complete: an advance beyond it leaves the row alone.
 */
static int run_operations(struct machine *machine, struct frame_reader *reader)
{
    while (reader->offset < reader->count) {
        if (++machine->operations > MAX_OPERATIONS)
            return -EINVAL;
        run_operation(machine, reader);
        if (reader->error != 0 || machine->location > machine->wanted)
            return reader->error;
    }
    return reader->error;
}

static int run_machine(struct machine *machine, const struct frame_description *fde)
{
    struct frame_reader initial = machine->cie->operations, own = fde->operations;
    machine->row.cfa_register = UINT32_MAX;
    machine->row.is_signal_frame = machine->cie->is_signal_frame;
    machine->initial = machine->row;
    int error = run_operations(machine, &initial);
    if (error != 0)
        return error;
    machine->initial = machine->row;
    return run_operations(machine, &own);
}

int frame_operations_run(const struct common_information *cie, const struct frame_description *fde,
                         uint64_t address, uint32_t other, struct frame_row *out)
{
    struct machine machine;
    memset(&machine, 0, sizeof(machine));
    machine.cie = cie;
    machine.header_address = fde->header_address;
    machine.location = fde->start;
    machine.wanted = address;
    machine.other = other;
    int error = run_machine(&machine, fde);
    if (error == 0)
        *out = machine.row;
    return error;
}
