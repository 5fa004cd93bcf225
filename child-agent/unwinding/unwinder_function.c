#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/fixed_frame.h"
#include "child-agent/unwinding/module_tables.h"
#include "child-agent/unwinding/walk.h"

/* Longer functions are not read. */
enum { MOST_CODE_BYTES = 64 * 1024, PART_BYTES = 1024, OVERLAP_BYTES = 8 };

static bool find_function(struct unwinder *unwinder, uint64_t address, uint64_t *start,
                          uint64_t *bytes)
{
    if (!module_map_enter(unwinder->modules))
        return false;
    const struct module *module = module_map_find(unwinder->modules, address);
    bool found = module != NULL && module_find_function(module, address, start, bytes) == 0;
    module_map_leave(unwinder->modules);
    return found;
}

/* In parts that have some bytes in common: an instruction may begin in one and end in the next. */
bool unwinder_has_fixed_frame(struct unwinder *unwinder, uint64_t address)
{
    uint8_t code[PART_BYTES];
    uint64_t start, bytes;
    if (!find_function(unwinder, address, &start, &bytes) || bytes > MOST_CODE_BYTES)
        return false;
    for (uint64_t at = 0; at < bytes; at += PART_BYTES - OVERLAP_BYTES) {
        size_t part = bytes - at < PART_BYTES ? (size_t)(bytes - at) : PART_BYTES;
        if (process_memory_read(start + at, code, part) != 0 || !fixed_frame_code(code, part))
            return false;
    }
    return true;
}
