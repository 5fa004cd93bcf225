#include "profctl/symbols/symbol_dwarf.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An address range, and which unit or function it belongs to. */
struct range {
    uint64_t start, end;
    size_t owner;
};

struct range_list {
    struct range *ranges; /* sorted by start once complete; owned */
    size_t count, capacity;
};

struct unit {
    Dwarf_Die die;
    bool is_read; /* functions below are filled */
    struct range_list function_ranges;
    Dwarf_Die *functions; /* owned */
    size_t function_count, function_capacity;
};

struct symbol_dwarf {
    uint64_t bias;
    struct range_list unit_ranges;
    struct unit *units; /* owned */
    size_t unit_count, unit_capacity;
};

/* --- Lists --- */

/* ITEMS with room for one more than COUNT, moved perhaps; NULL: no memory, ITEMS is unchanged. */
static void *with_room(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    size_t wanted = *capacity > 0 ? *capacity * 2 : 64;
    void *grown;

    if (count < *capacity)
        return items;
    grown = reallocarray(items, wanted, item_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

static int range_list_add(struct range_list *list, uint64_t start, uint64_t end, size_t owner)
{
    struct range *ranges =
        with_room(list->ranges, &list->capacity, list->count, sizeof(*list->ranges));

    if (ranges == NULL)
        return -ENOMEM;
    list->ranges = ranges;
    ranges[list->count++] = (struct range){ start, end, owner };
    return 0;
}

/* The ranges of DIE; code that the linker threw away is at 0. */
static int range_list_add_die(struct range_list *list, Dwarf_Die *die, size_t owner)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
        int error = start > 0 && start < end ? range_list_add(list, start, end, owner) : 0;

        if (error < 0)
            return error;
    }
    return 0;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return 0;
}

static void range_list_sort(struct range_list *list)
{
    if (list->count > 1)
        qsort(list->ranges, list->count, sizeof(*list->ranges), compare_ranges);
}

static const struct range *range_list_find(const struct range_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < list->ranges[low - 1].end ? &list->ranges[low - 1] : NULL;
}

/* --- Units and their functions --- */

static int add_unit(struct symbol_dwarf *dwarf, Dwarf_Die *die)
{
    struct unit *units =
        with_room(dwarf->units, &dwarf->unit_capacity, dwarf->unit_count, sizeof(*units));

    if (units == NULL)
        return -ENOMEM;
    dwarf->units = units;
    units[dwarf->unit_count] = (struct unit){ .die = *die };
    return range_list_add_die(&dwarf->unit_ranges, die, dwarf->unit_count++);
}

static int read_units(struct symbol_dwarf *self, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    int error = 0;

    while (error == 0 && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
        if (type == DW_UT_compile)
            error = add_unit(self, &die);
        else if (type == DW_UT_skeleton)
            error = add_unit(self, split.addr != NULL ? &split : &die);
    }
    range_list_sort(&self->unit_ranges);
    return error;
}

static int add_function(struct unit *unit, Dwarf_Die *die)
{
    Dwarf_Die *functions = with_room(unit->functions, &unit->function_capacity,
                                     unit->function_count, sizeof(*functions));

    if (functions == NULL)
        return -ENOMEM;
    unit->functions = functions;
    functions[unit->function_count] = *die;
    return range_list_add_die(&unit->function_ranges, die, unit->function_count++);
}

static bool holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static int read_functions(struct unit *unit, Dwarf_Die *parent)
{
    Dwarf_Die die;
    int error = 0;

    if (dwarf_child(parent, &die) != 0)
        return 0;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram && !dwarf_hasattr(&die, DW_AT_declaration))
            error = add_function(unit, &die);
        else if (holds_functions(tag))
            error = read_functions(unit, &die);
    } while (error == 0 && dwarf_siblingof(&die, &die) == 0);
    return error;
}

static int find_unit(struct symbol_dwarf *dwarf, uint64_t address, struct unit **out)
{
    const struct range *range = range_list_find(&dwarf->unit_ranges, address);
    int error = 0;

    *out = NULL;
    if (range == NULL)
        return 0;
    *out = &dwarf->units[range->owner];
    if ((*out)->is_read)
        return 0;
    (*out)->is_read = true;
    error = read_functions(*out, &(*out)->die);
    range_list_sort(&(*out)->function_ranges);
    return error;
}

/* --- One address --- */

static const char *linker_name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) == NULL &&
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) == NULL)
        return dwarf_diename(die);
    name = dwarf_formstring(&attribute);
    return name != NULL ? name : dwarf_diename(die);
}

static uint32_t call_line_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line;

    if (dwarf_attr(die, DW_AT_call_line, &attribute) == NULL ||
        dwarf_formudata(&attribute, &line) != 0 || line > UINT32_MAX)
        return 0;
    return (uint32_t)line;
}

static const char *call_file_of(Dwarf_Die *unit, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    Dwarf_Word index;
    size_t count;

    if (dwarf_attr(die, DW_AT_call_file, &attribute) == NULL ||
        dwarf_formudata(&attribute, &index) != 0 || dwarf_getsrcfiles(unit, &files, &count) != 0 ||
        index >= count)
        return NULL;
    return dwarf_filesrc(files, index, NULL, NULL);
}

/* Where CALL is at ADDRESS. */
static void note_line(Dwarf_Die *unit, uint64_t address, struct dwarf_call *call)
{
    Dwarf_Line *found = dwarf_getsrc_die(unit, address);
    int line = 0;

    if (found == NULL || dwarf_lineno(found, &line) != 0 || line < 0)
        return;
    call->line = (uint32_t)line;
    call->file = dwarf_linesrc(found, NULL, NULL);
}

/* The block or inlined function inside of PARENT that ADDRESS is in. */
static bool find_inner(Dwarf_Die *parent, uint64_t address, Dwarf_Die *inner)
{
    if (dwarf_child(parent, inner) != 0)
        return false;
    do {
        int tag = dwarf_tag(inner);

        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            dwarf_haspc(inner, address) == 1)
            return true;
    } while (dwarf_siblingof(inner, inner) == 0);
    return false;
}

/* A compiler that splits a function describes its cold half as a call, with the rest inlined into
 * the function itself. */
static bool is_split(const char *caller, const char *callee)
{
    return caller != NULL && callee != NULL && strcmp(caller, callee) == 0;
}

/* Follows what is inlined at ADDRESS from CALLS[0] inwards: each caller's line is where its callee
 * was inlined. Returns the number of calls. */
static int follow_inlined(Dwarf_Die *unit, Dwarf_Die *function, uint64_t address,
                          struct dwarf_call calls[SYMBOL_DWARF_MAX_INLINED])
{
    Dwarf_Die outer = *function, inner;
    int count = 1;

    while (count < SYMBOL_DWARF_MAX_INLINED && find_inner(&outer, address, &inner)) {
        const char *name = linker_name_of(&inner);

        if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine &&
            !is_split(calls[count - 1].linker_name, name)) {
            calls[count - 1].line = call_line_of(&inner);
            calls[count - 1].file = call_file_of(unit, &inner);
            calls[count++] = (struct dwarf_call){ .linker_name = name };
        }
        outer = inner;
    }
    return count;
}

int symbol_dwarf_calls(struct symbol_dwarf *dwarf, uint64_t address,
                       struct dwarf_call calls[SYMBOL_DWARF_MAX_INLINED])
{
    uint64_t biased = address + dwarf->bias;
    const struct range *function;
    struct unit *unit;
    int count = 1;
    int error = find_unit(dwarf, biased, &unit);

    if (error < 0 || unit == NULL)
        return error;
    calls[0] = (struct dwarf_call){ 0 };
    function = range_list_find(&unit->function_ranges, biased);
    if (function != NULL) {
        Dwarf_Die *die = &unit->functions[function->owner];

        calls[0].linker_name = linker_name_of(die);
        count = follow_inlined(&unit->die, die, biased, calls);
    }
    note_line(&unit->die, biased, &calls[count - 1]);
    return count;
}

/* --- Life cycle --- */

int symbol_dwarf_open(Dwarf *dwarf, uint64_t bias, struct symbol_dwarf **out)
{
    struct symbol_dwarf *self = calloc(1, sizeof(*self));
    int error;

    if (self == NULL)
        return -ENOMEM;
    self->bias = bias;
    error = read_units(self, dwarf);
    if (error < 0) {
        symbol_dwarf_close(self);
        return error;
    }
    *out = self;
    return 0;
}

void symbol_dwarf_close(struct symbol_dwarf *dwarf)
{
    if (dwarf == NULL)
        return;
    for (size_t i = 0; i < dwarf->unit_count; i++) {
        free(dwarf->units[i].function_ranges.ranges);
        free(dwarf->units[i].functions);
    }
    free(dwarf->units);
    free(dwarf->unit_ranges.ranges);
    free(dwarf);
}
