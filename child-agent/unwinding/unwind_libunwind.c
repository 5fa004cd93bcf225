#include "child-agent/unwinding/unwind_libunwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <libunwind-x86_64.h>
#include <string.h>

#include "child-agent/guest/pages.h"
#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/module_tables.h"

enum { CACHE_ENTRIES = 4096 }; /* libunwind's own choice is 128, about 1 KB each */

enum library_state {
    LIBRARY_UNTRIED = 0,
    LIBRARY_LOADED = 1,
    LIBRARY_MISSING = 2,
};

/* Its functions; the header's own names would make us depend on it. */
struct library {
    void *handle;
    unw_addr_space_t (*create_addr_space)(unw_accessors_t *accessors, int byte_order);
    void (*destroy_addr_space)(unw_addr_space_t space);
    int (*init_remote)(unw_cursor_t *cursor, unw_addr_space_t space, void *context);
    int (*step)(unw_cursor_t *cursor);
    int (*get_reg)(unw_cursor_t *cursor, int number, unw_word_t *out);
    int (*search_unwind_table)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
                               unw_proc_info_t *out, int needs_info, void *context);
    int (*set_caching_policy)(unw_addr_space_t space, unw_caching_policy_t policy);
    int (*set_cache_size)(unw_addr_space_t space, size_t entries, int flags);
    void (*flush_cache)(unw_addr_space_t space, unw_word_t low, unw_word_t high);
};

/* Loaded once and kept: unloading would wait for the loader, in a forked child perhaps for ever. */
static struct library library;
static enum library_state library_state;

struct slow_unwinder {
    struct module_map *modules;
    unw_accessors_t accessors;
    unw_addr_space_t space;          /* NULL: not made yet */
    const struct snapshot *snapshot; /* that the accessors answer from */
    struct frame_tables tables;      /* that they answered from last */
    unw_cursor_t cursor;
    bool has_cursor; /* in the snapshot that is walked */
    size_t index;    /* the frame that it is at */
};

/* --- What libunwind asks for --- */

/* The aligned word at ADDRESS of bytes that are (or were) at START; those outside of them read as
 * 0. */
static bool read_table_word(const uint8_t *bytes, size_t count, uint64_t start, uint64_t address,
                            unw_word_t *out)
{
    if (address - start < count && count - (address - start) >= sizeof *out) {
        memcpy(out, bytes + (address - start), sizeof *out);
        return true;
    }
    if (address + sizeof *out <= start || address >= start + count)
        return false;
    uint8_t word[sizeof *out] = { 0 };
    for (size_t i = 0; i < sizeof word; i++) {
        uint64_t offset = address + i - start;
        if (offset < count)
            word[i] = bytes[offset];
    }
    memcpy(out, word, sizeof *out);
    return true;
}

static bool read_tables(const struct frame_tables *tables, uint64_t address, unw_word_t *out)
{
    return read_table_word(tables->frames, tables->frames_bytes, tables->frames_address, address,
                           out) ||
           read_table_word(tables->header, tables->header_bytes, tables->header_address, address,
                           out);
}

/* Answers from the tables of the module at ADDRESS from now on. NULL: it has none. */
static const struct module *use_tables(struct slow_unwinder *slow, uint64_t address)
{
    bool changed = false;
    const struct module *module = module_map_find(slow->modules, address, &changed);
    if (changed)
        memset(&slow->tables, 0, sizeof slow->tables); /* may be of a module that is gone */
    if (module == NULL || module->eh_frame_header == NULL)
        return NULL;
    slow->tables = module_tables(module);
    return module;
}

/* Reads the copy of the stack or a module's tables: not only those of the module that was searched
 * last, for libunwind remembers where expressions are. */
static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value,
                         int is_write, void *context)
{
    (void)space;
    struct slow_unwinder *slow = context;
    if (is_write)
        return -UNW_EINVAL;
    if (unwind_read_word(slow->snapshot, address, value) ||
        read_tables(&slow->tables, address, value))
        return 0;
    if (use_tables(slow, address) != NULL && read_tables(&slow->tables, address, value))
        return 0;
    return -UNW_EINVAL;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
                           int is_write, void *context)
{
    (void)space;
    const struct slow_unwinder *slow = context;
    if (is_write || number < 0 || number >= REGISTER_COUNT)
        return -UNW_EBADREG;
    *value = slow->snapshot->registers[number];
    return 0;
}

static int access_float_register(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
                                 int is_write, void *context)
{
    (void)space, (void)number, (void)value, (void)is_write, (void)context;
    return -UNW_EBADREG;
}

static int find_procedure(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *out,
                          int needs_info, void *context)
{
    struct slow_unwinder *slow = context;
    const struct module *module = use_tables(slow, ip);
    size_t table_offset = 0, count = 0;
    if (module == NULL ||
        frame_header_table(module->eh_frame_header, module->eh_frame_header_bytes,
                           module->eh_frame_header_address, &table_offset, &count) != 0)
        return -UNW_ENOINFO;
    unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
    table.start_ip = module->start;
    table.end_ip = module->end;
    table.u.rti.segbase = module->eh_frame_header_address;
    table.u.rti.table_data = module->eh_frame_header_address + table_offset;
    table.u.rti.table_len = count * 8 / sizeof(unw_word_t);
    return library.search_unwind_table(space, ip, &table, out, needs_info, context);
}

static void put_procedure(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
    (void)space, (void)info, (void)context;
}

static int dynamic_list(unw_addr_space_t space, unw_word_t *out, void *context)
{
    (void)space, (void)out, (void)context;
    return -UNW_ENOINFO;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
{
    (void)space, (void)cursor, (void)context;
    return -UNW_EINVAL;
}

static int procedure_name(unw_addr_space_t space, unw_word_t address, char *name, size_t capacity,
                          unw_word_t *offset, void *context)
{
    (void)space, (void)address, (void)name, (void)capacity, (void)offset, (void)context;
    return -UNW_ENOINFO;
}

static const unw_accessors_t ACCESSORS = {
    .find_proc_info = find_procedure,
    .put_unwind_info = put_procedure,
    .get_dyn_info_list_addr = dynamic_list,
    .access_mem = access_memory,
    .access_reg = access_register,
    .access_fpreg = access_float_register,
    .resume = resume,
    .get_proc_name = procedure_name,
};

/* --- Loading --- */

static bool find_functions(void)
{
    const struct {
        const char *name;
        void *pointer; /* to a function pointer */
    } functions[] = {
        { "_Ux86_64_create_addr_space", &library.create_addr_space },
        { "_Ux86_64_destroy_addr_space", &library.destroy_addr_space },
        { "_Ux86_64_init_remote", &library.init_remote },
        { "_Ux86_64_step", &library.step },
        { "_Ux86_64_get_reg", &library.get_reg },
        { "_Ux86_64_dwarf_search_unwind_table", &library.search_unwind_table },
        { "_Ux86_64_set_caching_policy", &library.set_caching_policy },
        { "_Ux86_64_set_cache_size", &library.set_cache_size },
        { "_Ux86_64_flush_cache", &library.flush_cache },
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library.handle, functions[i].name);
        if (function == NULL)
            return false;
        memcpy(functions[i].pointer, &function, sizeof function);
    }
    return true;
}

static enum library_state load(void)
{
    library.handle = dlopen("libunwind-x86_64.so.8", RTLD_LOCAL | RTLD_LAZY);
    if (library.handle == NULL)
        return LIBRARY_MISSING;
    return find_functions() ? LIBRARY_LOADED : LIBRARY_MISSING;
}

static bool make_space(struct slow_unwinder *slow)
{
    slow->accessors = ACCESSORS;
    slow->space = library.create_addr_space(&slow->accessors, 0);
    if (slow->space == NULL)
        return false;
    /* Without them it is only slower. */
    (void)library.set_caching_policy(slow->space, UNW_CACHE_GLOBAL);
    (void)library.set_cache_size(slow->space, CACHE_ENTRIES, 0);
    return true;
}

static bool is_ready(struct slow_unwinder *slow)
{
    if (library_state == LIBRARY_UNTRIED)
        library_state = load();
    return library_state == LIBRARY_LOADED && (slow->space != NULL || make_space(slow));
}

int slow_unwinder_create(struct module_map *modules, struct slow_unwinder **out)
{
    struct slow_unwinder *slow = pages_allocate(sizeof *slow);
    if (slow == NULL)
        return -ENOMEM;
    slow->modules = modules;
    *out = slow;
    return 0;
}

void slow_unwinder_destroy(struct slow_unwinder *slow)
{
    if (slow == NULL)
        return;
    if (slow->space != NULL)
        library.destroy_addr_space(slow->space);
    pages_free(slow, sizeof *slow);
}

void slow_unwinder_forget(struct slow_unwinder *slow)
{
    memset(&slow->tables, 0, sizeof slow->tables);
    if (slow->space != NULL)
        library.flush_cache(slow->space, 0, 0);
}

/* --- Walking --- */

void slow_unwinder_restart(struct slow_unwinder *slow)
{
    slow->has_cursor = false;
}

static bool start(struct slow_unwinder *slow, const struct snapshot *snapshot)
{
    if (!is_ready(slow))
        return false;
    slow->snapshot = snapshot;
    slow->index = 0;
    slow->has_cursor = library.init_remote(&slow->cursor, slow->space, slow) == 0;
    return slow->has_cursor;
}

static uint64_t register_of(struct slow_unwinder *slow, int number)
{
    unw_word_t value = 0;
    return library.get_reg(&slow->cursor, number, &value) == 0 ? value : 0;
}

/* Moves the cursor from one frame to the next: libunwind's answer, positive when there is one. */
static int move(struct slow_unwinder *slow)
{
    slow->index++;
    return library.step(&slow->cursor);
}

/* Follows to frame INDEX, and checks that it is the frame we mean. */
static bool follow(struct slow_unwinder *slow, const struct unwind_state *state, size_t index)
{
    if (!slow->has_cursor && !start(slow, state->snapshot))
        return false;
    while (slow->index < index) {
        if (move(slow) <= 0)
            return false;
    }
    return slow->index == index && register_of(slow, UNW_REG_IP) == state->pc;
}

enum slow_step slow_unwinder_step(struct slow_unwinder *slow, const struct unwind_state *state,
                                  size_t index, struct unwind_state *caller)
{
    if (!follow(slow, state, index))
        return SLOW_STEP_FAILED;
    int moved = move(slow);
    if (moved == 0)
        return SLOW_STEP_ROOT;
    if (moved < 0)
        return SLOW_STEP_FAILED;
    *caller = *state;
    caller->pc = register_of(slow, UNW_REG_IP);
    caller->rsp = register_of(slow, UNW_REG_SP);
    caller->rbp = register_of(slow, UNW_X86_64_RBP);
    caller->is_exact = false;
    return SLOW_STEP_CALLER;
}

size_t slow_unwinder_walk(struct slow_unwinder *slow, const struct snapshot *snapshot,
                          struct unwind_frame *frames, size_t capacity)
{
    size_t count = 0;
    slow_unwinder_restart(slow);
    if (!start(slow, snapshot))
        return 0;
    for (int moved = 1; moved > 0 && count < capacity; count++) {
        frames[count].address = register_of(slow, UNW_REG_IP);
        moved = move(slow);
        frames[count].stack_address = register_of(slow, UNW_REG_SP);
    }
    slow->has_cursor = false;
    return count;
}
