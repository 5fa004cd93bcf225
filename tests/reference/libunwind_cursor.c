#include "tests/reference/libunwind_cursor.h"

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

struct libunwind_cursor {
    struct module_map *modules;
    unw_accessors_t accessors;
    unw_addr_space_t space;          /* NULL: not made yet */
    const struct snapshot *snapshot; /* that the accessors answer from */
    struct frame_tables tables;      /* that they answered from last */
    uint64_t generation;             /* of the modules */
    unw_cursor_t position;
};

/* --- What libunwind asks for --- */

/* The aligned word at ADDRESS of bytes that are (or were) at START; those outside of them read as
 * 0. */
static bool read_table_word(const uint8_t *bytes, size_t count, uint64_t start, uint64_t address,
                            unw_word_t *out)
{
    if (address - start < count && count - (address - start) >= sizeof(*out)) {
        memcpy(out, bytes + (address - start), sizeof(*out));
        return true;
    }
    if (address + sizeof(*out) <= start || address >= start + count)
        return false;
    uint8_t word[sizeof(*out)] = { 0 };
    for (size_t i = 0; i < sizeof(word); i++) {
        uint64_t offset = address + i - start;
        if (offset < count)
            word[i] = bytes[offset];
    }
    memcpy(out, word, sizeof(*out));
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
static const struct module *use_tables(struct libunwind_cursor *cursor, uint64_t address)
{
    const struct module *module = module_map_find(cursor->modules, address);
    if (module == NULL || module->eh_frame_header == NULL)
        return NULL;
    cursor->tables = module_tables(module);
    return module;
}

/* Reads the copy of the stack or a module's tables: not only those of the module that was searched
 * last, for libunwind remembers where expressions are. */
static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value,
                         int is_write, void *context)
{
    (void)space;
    struct libunwind_cursor *cursor = context;
    if (is_write)
        return -UNW_EINVAL;
    const struct stack_view stack = unwind_first_stack(cursor->snapshot, UINT64_MAX);
    if (unwind_read_word(&stack, address, value) || read_tables(&cursor->tables, address, value))
        return 0;
    if (use_tables(cursor, address) != NULL && read_tables(&cursor->tables, address, value))
        return 0;
    return -UNW_EINVAL;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
                           int is_write, void *context)
{
    (void)space;
    const struct libunwind_cursor *cursor = context;
    if (is_write || number < 0 || number >= REGISTER_COUNT)
        return -UNW_EBADREG;
    *value = cursor->snapshot->registers[number];
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
    struct libunwind_cursor *cursor = context;
    const struct module *module = use_tables(cursor, ip);
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

static int resume_cursor(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
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
    .resume = resume_cursor,
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
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(library.handle, functions[i].name);
        if (function == NULL)
            return false;
        memcpy(functions[i].pointer, &function, sizeof(function));
    }
    return true;
}

static enum library_state load_library(void)
{
    library.handle = dlopen("libunwind-x86_64.so.8", RTLD_LOCAL | RTLD_LAZY);
    if (library.handle == NULL)
        return LIBRARY_MISSING;
    return find_functions() ? LIBRARY_LOADED : LIBRARY_MISSING;
}

static bool make_space(struct libunwind_cursor *cursor)
{
    cursor->accessors = ACCESSORS;
    cursor->space = library.create_addr_space(&cursor->accessors, 0);
    if (cursor->space == NULL)
        return false;
    /* Without them it is only slower. */
    (void)library.set_caching_policy(cursor->space, UNW_CACHE_GLOBAL);
    (void)library.set_cache_size(cursor->space, CACHE_ENTRIES, 0);
    return true;
}

static bool is_ready(struct libunwind_cursor *cursor)
{
    if (library_state == LIBRARY_UNTRIED)
        library_state = load_library();
    return library_state == LIBRARY_LOADED && (cursor->space != NULL || make_space(cursor));
}

int libunwind_cursor_create(struct module_map *modules, struct libunwind_cursor **out)
{
    struct libunwind_cursor *cursor = pages_allocate(sizeof(*cursor));
    if (cursor == NULL)
        return -ENOMEM;
    cursor->modules = modules;
    *out = cursor;
    return 0;
}

void libunwind_cursor_destroy(struct libunwind_cursor *cursor)
{
    if (cursor == NULL)
        return;
    if (cursor->space != NULL)
        library.destroy_addr_space(cursor->space);
    pages_free(cursor, sizeof(*cursor));
}

/* --- Walking --- */

static bool start_walk(struct libunwind_cursor *cursor, const struct snapshot *snapshot)
{
    if (!is_ready(cursor))
        return false;
    cursor->snapshot = snapshot;
    return library.init_remote(&cursor->position, cursor->space, cursor) == 0;
}

static uint64_t register_of(struct libunwind_cursor *cursor, int number)
{
    unw_word_t value = 0;
    return library.get_reg(&cursor->position, number, &value) == 0 ? value : 0;
}

/* What was learnt from the tables of modules that are gone goes. */
static void follow_modules(struct libunwind_cursor *cursor)
{
    uint64_t generation = module_map_generation(cursor->modules);
    if (generation == cursor->generation)
        return;
    cursor->generation = generation;
    memset(&cursor->tables, 0, sizeof(cursor->tables));
    if (cursor->space != NULL)
        library.flush_cache(cursor->space, 0, 0);
}

static size_t walk_entered(struct libunwind_cursor *cursor, const struct snapshot *snapshot,
                           struct unwind_frame *frames, size_t capacity)
{
    size_t count = 0;
    follow_modules(cursor);
    if (!start_walk(cursor, snapshot))
        return 0;
    for (int moved = 1; moved > 0 && count < capacity; count++) {
        frames[count].address = register_of(cursor, UNW_REG_IP);
        moved = library.step(&cursor->position);
        frames[count].stack_address = register_of(cursor, UNW_REG_SP);
    }
    return count;
}

size_t libunwind_cursor_walk(struct libunwind_cursor *cursor, const struct snapshot *snapshot,
                             struct unwind_frame *frames, size_t capacity)
{
    if (!module_map_enter(cursor->modules))
        return 0;
    size_t count = walk_entered(cursor, snapshot, frames, capacity);
    module_map_leave(cursor->modules);
    return count;
}
