#include "child-agent/unwinding/call_frame_info.h"

#include <errno.h>
#include <string.h>

enum {
    DWARF_RBP = 6,
    DWARF_RIP = 16,
    MAX_SAVED_ROWS = 8,          /* nested DW_CFA_remember_state; compilers nest one */
    MAX_OPERATIONS = 100 * 1000, /* for one address; real functions have a few hundred */
};

enum pointer_encoding {
    POINTER_ABSOLUTE = 0x00,
    POINTER_ULEB128 = 0x01,
    POINTER_UDATA2 = 0x02,
    POINTER_UDATA4 = 0x03,
    POINTER_UDATA8 = 0x04,
    POINTER_SLEB128 = 0x09,
    POINTER_SDATA2 = 0x0a,
    POINTER_SDATA4 = 0x0b,
    POINTER_SDATA8 = 0x0c,
    POINTER_FORMAT = 0x0f,
    POINTER_RELATIVE_TO_ITSELF = 0x10,
    POINTER_RELATIVE_TO_HEADER = 0x30,
    POINTER_RELATION = 0x70,
    POINTER_OMITTED = 0xff,
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

/* --- Reading bytes --- */

/* A place in bytes that may not be what they claim: reads behind the end give 0 and set the error,
 * which stays. */
struct reader {
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    uint64_t address; /* of bytes[0], in the program */
    int error;
};

static void reader_fail(struct reader *reader, int error)
{
    if (reader->error == 0)
        reader->error = error;
    reader->offset = reader->count;
}

static bool reader_has(struct reader *reader, uint64_t bytes)
{
    if (bytes <= reader->count - reader->offset)
        return true;
    reader_fail(reader, -EINVAL);
    return false;
}

static uint64_t read_unsigned(struct reader *reader, size_t bytes)
{
    uint64_t value = 0;
    if (!reader_has(reader, bytes))
        return 0;
    memcpy(&value, reader->bytes + reader->offset, bytes);
    reader->offset += bytes;
    return value;
}

static uint64_t read_uleb128(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = read_unsigned(reader, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    reader_fail(reader, -EINVAL);
    return 0;
}

static int64_t read_sleb128(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        uint64_t byte = read_unsigned(reader, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if ((byte & 0x40) && shift < 64)
            value |= ~(uint64_t)0 << shift;
        return (int64_t)value;
    }
    reader_fail(reader, -EINVAL);
    return 0;
}

static struct frame_expression read_block(struct reader *reader)
{
    struct frame_expression block = { NULL, 0 };
    uint64_t bytes = read_uleb128(reader);
    if (!reader_has(reader, bytes))
        return block;
    block.bytes = reader->bytes + reader->offset;
    block.count = (size_t)bytes;
    reader->offset += (size_t)bytes;
    return block;
}

static uint64_t read_pointer_value(struct reader *reader, uint8_t format)
{
    switch (format) {
    case POINTER_ABSOLUTE:
    case POINTER_UDATA8:
    case POINTER_SDATA8:
        return read_unsigned(reader, 8);
    case POINTER_UDATA2:
        return read_unsigned(reader, 2);
    case POINTER_UDATA4:
        return read_unsigned(reader, 4);
    case POINTER_SDATA2:
        return (uint64_t)(int16_t)read_unsigned(reader, 2);
    case POINTER_SDATA4:
        return (uint64_t)(int32_t)read_unsigned(reader, 4);
    case POINTER_ULEB128:
        return read_uleb128(reader);
    case POINTER_SLEB128:
        return (uint64_t)read_sleb128(reader);
    default:
        reader_fail(reader, -ENOTSUP);
        return 0;
    }
}

static uint64_t read_pointer(struct reader *reader, uint8_t encoding, uint64_t header_address)
{
    uint64_t own_address = reader->address + reader->offset;
    uint64_t value = read_pointer_value(reader, encoding & POINTER_FORMAT);
    switch (encoding & ~POINTER_FORMAT) {
    case 0:
        return value;
    case POINTER_RELATIVE_TO_ITSELF:
        return own_address + value;
    case POINTER_RELATIVE_TO_HEADER:
        return header_address + value;
    default: /* indirect ones too: they would make us read the program's memory */
        reader_fail(reader, -ENOTSUP);
        return 0;
    }
}

/* --- .eh_frame_hdr --- */

int frame_header_locate(const uint8_t *header, size_t bytes, uint64_t header_address,
                        uint64_t *frames_address)
{
    struct reader reader = { .bytes = header, .count = bytes, .address = header_address };
    uint64_t version = read_unsigned(&reader, 1);
    uint8_t encoding = (uint8_t)read_unsigned(&reader, 1);
    reader_has(&reader, 2);
    if (reader.error != 0 || version != 1 || encoding == POINTER_OMITTED)
        return -EINVAL;
    reader.offset += 2;
    *frames_address = read_pointer(&reader, encoding, header_address);
    return reader.error == 0 ? 0 : -EINVAL;
}

int frame_header_table(const uint8_t *header, size_t bytes, uint64_t header_address,
                       size_t *table_offset, size_t *count)
{
    struct reader reader = { .bytes = header, .count = bytes, .address = header_address };
    uint64_t version = read_unsigned(&reader, 1);
    uint8_t pointer_encoding = (uint8_t)read_unsigned(&reader, 1);
    uint8_t count_encoding = (uint8_t)read_unsigned(&reader, 1);
    uint8_t table_encoding = (uint8_t)read_unsigned(&reader, 1);
    if (reader.error != 0 || version != 1 || pointer_encoding == POINTER_OMITTED ||
        count_encoding == POINTER_OMITTED ||
        table_encoding != (POINTER_RELATIVE_TO_HEADER | POINTER_SDATA4))
        return -ENOENT;
    read_pointer(&reader, pointer_encoding, header_address);
    uint64_t entries = read_pointer(&reader, count_encoding, header_address);
    if (reader.error != 0 || entries == 0 || entries > (bytes - reader.offset) / 8)
        return -ENOENT;
    *table_offset = reader.offset;
    *count = (size_t)entries;
    return 0;
}

static int32_t table_value(const uint8_t *table, size_t index)
{
    int32_t value;
    memcpy(&value, table + 4 * index, sizeof value);
    return value;
}

/* The address of the FDE that may cover ADDRESS: that of the last entry not above it. */
static int find_description(const struct frame_tables *tables, uint64_t address, uint64_t *out)
{
    size_t offset = 0, count = 0;
    int rc = frame_header_table(tables->header, tables->header_bytes, tables->header_address,
                                &offset, &count);
    if (rc != 0)
        return rc;
    const uint8_t *table = tables->header + offset;
    int64_t wanted = (int64_t)(address - tables->header_address);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table_value(table, 2 * middle) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return -ENOENT;
    *out = tables->header_address + (uint64_t)(int64_t)table_value(table, 2 * (low - 1) + 1);
    return 0;
}

/* --- CIE and FDE --- */

struct common_information {
    uint64_t code_alignment;
    int64_t data_alignment;
    uint64_t return_register;
    uint8_t pointer_encoding;
    bool has_augmentation;
    bool is_signal_frame;
    struct reader operations;
};

/* A reader of the record (behind its length) that starts at ADDRESS. */
static int open_record(const struct frame_tables *tables, uint64_t address, struct reader *out)
{
    if (address - tables->frames_address >= tables->frames_bytes)
        return -EINVAL;
    struct reader reader = { .bytes = tables->frames,
                             .count = tables->frames_bytes,
                             .offset = (size_t)(address - tables->frames_address),
                             .address = tables->frames_address };
    uint64_t length = read_unsigned(&reader, 4);
    if (length == 0xffffffff)
        return -ENOTSUP;
    if (!reader_has(&reader, length))
        return -EINVAL;
    reader.count = reader.offset + (size_t)length;
    *out = reader;
    return 0;
}

static void read_augmentation(struct reader *reader, const char *letters, size_t count,
                              struct common_information *cie)
{
    struct frame_expression data = read_block(reader);
    if (reader->error != 0)
        return;
    struct reader values = *reader;
    values.offset = (size_t)(data.bytes - values.bytes);
    values.count = values.offset + data.count;
    for (size_t i = 0; i < count; i++) {
        switch (letters[i]) {
        case 'R':
            cie->pointer_encoding = (uint8_t)read_unsigned(&values, 1);
            break;
        case 'L':
            read_unsigned(&values, 1);
            break;
        case 'P':
            /* Only skipped: what it points to, directly or not, is of no interest. */
            read_pointer_value(&values, read_unsigned(&values, 1) & POINTER_FORMAT);
            break;
        case 'S':
            cie->is_signal_frame = true;
            break;
        default:
            reader_fail(reader, -ENOTSUP);
        }
    }
    if (values.error != 0)
        reader_fail(reader, values.error);
}

static int read_common_information(const struct frame_tables *tables, uint64_t address,
                                   struct common_information *out)
{
    struct reader reader;
    int rc = open_record(tables, address, &reader);
    if (rc != 0)
        return rc;
    memset(out, 0, sizeof *out);
    uint64_t id = read_unsigned(&reader, 4);
    uint64_t version = read_unsigned(&reader, 1);
    if (reader.error != 0 || id != 0)
        return -EINVAL;
    if (version != 1 && version != 3)
        return -ENOTSUP;
    const char *letters = (const char *)reader.bytes + reader.offset;
    size_t count = strnlen(letters, reader.count - reader.offset);
    if (!reader_has(&reader, count + 1))
        return -EINVAL;
    reader.offset += count + 1;
    out->code_alignment = read_uleb128(&reader);
    out->data_alignment = read_sleb128(&reader);
    out->return_register = version == 1 ? read_unsigned(&reader, 1) : read_uleb128(&reader);
    out->has_augmentation = count > 0 && letters[0] == 'z';
    if (out->has_augmentation)
        read_augmentation(&reader, letters + 1, count - 1, out);
    else if (count > 0)
        return -ENOTSUP;
    out->operations = reader;
    return reader.error;
}

/* --- Call-frame operations --- */

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

static int64_t scale(const struct machine *machine, int64_t factor)
{
    return (int64_t)((uint64_t)factor * (uint64_t)machine->cie->data_alignment);
}

static void set_offset(struct machine *machine, uint64_t number, int64_t offset)
{
    set_rule(machine, number,
             (struct register_rule){ .place = REGISTER_AT_OFFSET, .offset = offset });
}

static void restore(struct machine *machine, uint64_t number)
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

static void advance(struct machine *machine, uint64_t delta)
{
    machine->location += delta * machine->cie->code_alignment;
}

static void remember(struct machine *machine, struct reader *reader)
{
    if (machine->saved_count == MAX_SAVED_ROWS)
        reader_fail(reader, -ENOTSUP);
    else
        machine->saved[machine->saved_count++] = machine->row;
}

static void recall(struct machine *machine, struct reader *reader)
{
    if (machine->saved_count == 0)
        reader_fail(reader, -EINVAL);
    else
        machine->row = machine->saved[--machine->saved_count];
}

/* Operations on the CFA. False: it is none of them. */
static bool run_cfa_operation(struct machine *machine, struct reader *reader, uint8_t operation)
{
    struct frame_row *row = &machine->row;
    uint64_t number;
    switch (operation) {
    case DW_CFA_def_cfa:
        number = read_uleb128(reader);
        define_cfa(machine, number, (int64_t)read_uleb128(reader));
        return true;
    case DW_CFA_def_cfa_sf:
        number = read_uleb128(reader);
        define_cfa(machine, number, scale(machine, read_sleb128(reader)));
        return true;
    case DW_CFA_def_cfa_register:
        define_cfa(machine, read_uleb128(reader), row->cfa_offset);
        return true;
    case DW_CFA_def_cfa_offset:
        define_cfa(machine, row->cfa_register, (int64_t)read_uleb128(reader));
        return true;
    case DW_CFA_def_cfa_offset_sf:
        define_cfa(machine, row->cfa_register, scale(machine, read_sleb128(reader)));
        return true;
    case DW_CFA_def_cfa_expression:
        row->is_cfa_expression = true;
        row->cfa_expression = read_block(reader);
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

/* Operations on other registers. False: it is none of them. */
static bool run_register_operation(struct machine *machine, struct reader *reader,
                                   uint8_t operation)
{
    if (!names_register(operation))
        return false;
    struct register_rule rule = { .place = REGISTER_AT_EXPRESSION };
    uint64_t number = read_uleb128(reader);
    switch (operation) {
    case DW_CFA_offset_extended:
        set_offset(machine, number, scale(machine, (int64_t)read_uleb128(reader)));
        return true;
    case DW_CFA_offset_extended_sf:
        set_offset(machine, number, scale(machine, read_sleb128(reader)));
        return true;
    case DW_CFA_restore_extended:
        restore(machine, number);
        return true;
    case DW_CFA_undefined:
        set_place(machine, number, REGISTER_UNDEFINED);
        return true;
    case DW_CFA_same_value:
        set_place(machine, number, REGISTER_SAME);
        return true;
    case DW_CFA_expression:
        rule.expression = read_block(reader);
        set_rule(machine, number, rule);
        return true;
    case DW_CFA_val_expression:
        read_block(reader);
        set_place(machine, number, REGISTER_ELSEWHERE);
        return true;
    case DW_CFA_register:
        rule.place = REGISTER_IN_REGISTER;
        rule.number = register_number(read_uleb128(reader));
        set_rule(machine, number, rule);
        return true;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        read_uleb128(reader);
        set_place(machine, number, REGISTER_ELSEWHERE);
        return true;
    default:
        return false;
    }
}

static void run_other_operation(struct machine *machine, struct reader *reader, uint8_t operation)
{
    switch (operation) {
    case DW_CFA_nop:
        break;
    case DW_CFA_set_loc:
        machine->location =
            read_pointer(reader, machine->cie->pointer_encoding, machine->header_address);
        break;
    case DW_CFA_advance_loc1:
        advance(machine, read_unsigned(reader, 1));
        break;
    case DW_CFA_advance_loc2:
        advance(machine, read_unsigned(reader, 2));
        break;
    case DW_CFA_advance_loc4:
        advance(machine, read_unsigned(reader, 4));
        break;
    case DW_CFA_remember_state:
        remember(machine, reader);
        break;
    case DW_CFA_restore_state:
        recall(machine, reader);
        break;
    case DW_CFA_GNU_args_size:
        read_uleb128(reader);
        break;
    default:
        reader_fail(reader, -ENOTSUP);
    }
}

static void run_operation(struct machine *machine, struct reader *reader)
{
    uint8_t operation = (uint8_t)read_unsigned(reader, 1);
    uint8_t operand = operation & 0x3f;
    switch (operation & 0xc0) {
    case DW_CFA_advance_loc:
        advance(machine, operand);
        return;
    case DW_CFA_offset:
        set_offset(machine, operand, scale(machine, (int64_t)read_uleb128(reader)));
        return;
    case DW_CFA_restore:
        restore(machine, operand);
        return;
    default:
        if (!run_cfa_operation(machine, reader, operation) &&
            !run_register_operation(machine, reader, operation))
            run_other_operation(machine, reader, operation);
    }
}

/* Runs until the row for the wanted address is complete: an advance beyond it leaves the row alone.
 */
static int run_operations(struct machine *machine, struct reader *reader)
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

static int run_machine(struct machine *machine, struct reader *fde)
{
    struct reader initial = machine->cie->operations;
    machine->row.cfa_register = UINT32_MAX;
    machine->row.is_signal_frame = machine->cie->is_signal_frame;
    machine->initial = machine->row;
    int rc = run_operations(machine, &initial);
    if (rc != 0)
        return rc;
    machine->initial = machine->row;
    return run_operations(machine, fde);
}

int frame_tables_find_row(const struct frame_tables *tables, uint64_t address, uint32_t other,
                          struct frame_row *out)
{
    uint64_t fde_address = 0;
    struct reader fde;
    struct common_information cie;
    int rc = find_description(tables, address, &fde_address);
    if (rc == 0)
        rc = open_record(tables, fde_address, &fde);
    if (rc != 0)
        return rc;
    uint64_t cie_field = fde.address + fde.offset;
    uint64_t cie_distance = read_unsigned(&fde, 4);
    if (fde.error != 0 || cie_distance == 0)
        return -EINVAL;
    rc = read_common_information(tables, cie_field - cie_distance, &cie);
    if (rc != 0)
        return rc;
    uint64_t start = read_pointer(&fde, cie.pointer_encoding, tables->header_address);
    uint64_t length = read_pointer_value(&fde, cie.pointer_encoding & POINTER_FORMAT);
    if (cie.has_augmentation)
        read_block(&fde);
    if (fde.error != 0)
        return fde.error;
    if (address - start >= length)
        return -ENOENT;
    struct machine machine;
    memset(&machine, 0, sizeof machine);
    machine.cie = &cie;
    machine.header_address = tables->header_address;
    machine.location = start;
    machine.wanted = address;
    machine.other = other;
    rc = run_machine(&machine, &fde);
    if (rc == 0)
        *out = machine.row;
    return rc;
}
