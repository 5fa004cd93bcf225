#include "profctl/symbols/symbol_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/unique_strings.h"
#include "profctl/symbols/symbol_dwarf.h"
#include "profctl/symbols/symbol_file.h"
#include "profctl/symbols/symbol_name.h"
#include "profctl/symbols/symbol_plt.h"
#include "profctl/symbols/symbol_starts.h"
#include "profctl/symbols/symbol_table.h"

enum { FIRST_SLOTS = 256 };

/* What is known of one address. */
struct answer {
    uint64_t address;
    uint64_t start, end;     /* of its function; 0: unknown */
    uint32_t first;          /* into frames */
    uint32_t count_plus_one; /* 0: the slot is empty */
};

struct symbol_library {
    char *name, *path, *build_id; /* owned */
    int64_t pid;
    bool is_tried; /* the file was looked for, with this pid */
    struct symbol_file file;
    struct symbol_table table;
    struct symbol_dwarf *dwarf; /* NULL: none */
    struct answer *answers;     /* open addressing; owned */
    size_t slot_count, answer_count;
    struct symbol_frame *frames; /* owned */
    size_t frame_count, frame_capacity;
    struct failure_latch latch;
    struct unique_strings linker_names; /* what was named already … */
    struct mapped_array name_locations; /* … and the location (uint32_t) of each */
    struct unique_strings locations;
};

/* --- Life cycle --- */

/* The loader takes the first ')' for the end of the library's name. */
static char *display_name(const char *name)
{
    char *copy = strdup(name);

    for (char *at = copy; at != NULL && *at != '\0'; at++)
        if (*at == ')')
            *at = ']';
        else if (*at == '(')
            *at = '[';
    return copy;
}

int symbol_library_create(const char *name, const char *path, const char *build_id,
                          struct symbol_library **out)
{
    struct symbol_library *library = calloc(1, sizeof(*library));

    if (library == NULL)
        return -ENOMEM;
    failure_latch_init(&library->latch);
    unique_strings_init(&library->linker_names, &library->latch);
    unique_strings_init(&library->locations, &library->latch);
    library->name = display_name(name);
    library->path = strdup(path);
    library->build_id = strdup(build_id);
    if (library->name == NULL || library->path == NULL || library->build_id == NULL) {
        symbol_library_free(library);
        return -ENOMEM;
    }
    *out = library;
    return 0;
}

void symbol_library_free(struct symbol_library *library)
{
    if (library == NULL)
        return;
    symbol_dwarf_close(library->dwarf);
    symbol_table_free(&library->table);
    symbol_file_close(&library->file);
    unique_strings_fini(&library->locations);
    unique_strings_fini(&library->linker_names);
    mapped_array_free(&library->name_locations);
    free(library->frames);
    free(library->answers);
    free(library->build_id);
    free(library->path);
    free(library->name);
    free(library);
}

void symbol_library_seen_in(struct symbol_library *library, int64_t pid)
{
    if (library->file.session != NULL || library->pid == pid)
        return;
    library->pid = pid;
    library->is_tried = false;
}

/* --- Reading the file --- */

static int read_tables(struct symbol_library *library)
{
    Dwarf_Addr dwarf_bias;
    Dwarf *dwarf;
    int error = symbol_table_read(&library->table, library->file.module, library->file.elf_bias);

    symbol_table_sort(&library->table);
    if (error == 0)
        error = symbol_plt_read(&library->table, library->file.elf);
    if (error == 0)
        error = symbol_starts_read(&library->table, library->file.elf);
    if (error < 0)
        return error;
    symbol_table_sort(&library->table);
    dwarf = dwfl_module_getdwarf(library->file.module, &dwarf_bias);
    if (dwarf == NULL)
        return 0;
    return symbol_dwarf_open(dwarf, library->file.elf_bias - dwarf_bias, &library->dwarf);
}

/* A file that is not there, or is another one by now, leaves the library without names. */
static int open_file(struct symbol_library *library)
{
    int error;

    if (library->is_tried)
        return 0;
    library->is_tried = true;
    error = symbol_file_open(library->path, library->build_id, library->pid, &library->file);
    if (error == 0)
        error = read_tables(library);
    return error == -ENOMEM ? error : 0;
}

/* --- Names --- */

static int add_location(struct symbol_library *library, const char *linker_name, bool is_plt,
                        uint32_t *location)
{
    char *function = symbol_name_readable(linker_name);
    char *text = NULL;
    int length;

    if (function == NULL)
        return -ENOMEM;
    length = asprintf(&text, "%s%s (in %s)", function, is_plt ? "@plt" : "", library->name);
    free(function);
    if (length < 0)
        return -ENOMEM;
    *location = unique_strings_add(&library->locations, text, (size_t)length);
    free(text);
    return failure_latch_error(&library->latch);
}

/* The location for a linker's name, made once. A stub's has another key than its function's. */
static int find_location(struct symbol_library *library, const char *linker_name, bool is_plt,
                         uint32_t *location)
{
    uint32_t known = unique_strings_count(&library->linker_names);
    uint32_t index = unique_strings_add(&library->linker_names, linker_name,
                                        strlen(linker_name) + (is_plt ? 1 : 0));
    uint32_t *kept;
    int error;

    if (index == UNIQUE_NONE)
        return failure_latch_error(&library->latch);
    if (index < known) {
        *location = ((uint32_t *)library->name_locations.items)[index];
        return 0;
    }
    error = add_location(library, linker_name, is_plt, location);
    if (error < 0)
        return error;
    kept = mapped_array_push(&library->name_locations, sizeof(*kept));
    if (kept == NULL)
        return -ENOMEM;
    *kept = *location;
    return 0;
}

static int add_frame(struct symbol_library *library, const struct dwarf_call *call, bool is_plt)
{
    struct symbol_frame frame = { .line = call->line, .file = call->file };
    int error = find_location(library, call->linker_name, is_plt, &frame.location);

    if (error < 0)
        return error;
    if (library->frame_count == library->frame_capacity) {
        size_t capacity = library->frame_capacity > 0 ? library->frame_capacity * 2 : 256;
        struct symbol_frame *grown = reallocarray(library->frames, capacity, sizeof(*grown));

        if (grown == NULL)
            return -ENOMEM;
        library->frames = grown;
        library->frame_capacity = capacity;
    }
    library->frames[library->frame_count++] = frame;
    return 0;
}

/* Appends the frames at ADDRESS. The symbol table's name counts for the function that has the code:
 * it tells clones (.cold, .constprop) and aliases apart. */
static int add_frames(struct symbol_library *library, const struct symbol *symbol, uint64_t address)
{
    struct dwarf_call calls[SYMBOL_DWARF_MAX_INLINED];
    int count = library->dwarf != NULL ? symbol_dwarf_calls(library->dwarf, address, calls) : 0;
    int error = 0;

    if (count < 0)
        return count;
    if (count == 0)
        calls[count++] = (struct dwarf_call){ 0 };
    if (symbol != NULL && symbol->name != NULL)
        calls[0].linker_name = symbol->name;
    for (int i = 0; i < count && error == 0; i++)
        if (calls[i].linker_name != NULL)
            error = add_frame(library, &calls[i], i == 0 && symbol != NULL && symbol->is_plt);
    return error;
}

/* --- Answers --- */

static struct answer *find_slot(struct answer *answers, size_t slot_count, uint64_t address)
{
    size_t slot = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (slot_count - 1);

    while (answers[slot].count_plus_one != 0 && answers[slot].address != address)
        slot = (slot + 1) & (slot_count - 1);
    return &answers[slot];
}

static int make_room_for_answer(struct symbol_library *library)
{
    size_t slot_count = library->slot_count > 0 ? library->slot_count * 2 : FIRST_SLOTS;
    struct answer *answers;

    if (library->slot_count > 0 && library->answer_count * 2 < library->slot_count)
        return 0;
    answers = calloc(slot_count, sizeof(*answers));
    if (answers == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < library->slot_count; i++)
        if (library->answers[i].count_plus_one != 0)
            *find_slot(answers, slot_count, library->answers[i].address) = library->answers[i];
    free(library->answers);
    library->answers = answers;
    library->slot_count = slot_count;
    return 0;
}

static int make_answer(struct symbol_library *library, uint64_t address, struct answer *answer)
{
    const struct symbol *symbol = symbol_table_find(&library->table, address);
    size_t first = library->frame_count;
    int error = add_frames(library, symbol, address);

    if (error < 0)
        return error;
    *answer = (struct answer){ .address = address,
                               .start = symbol != NULL ? symbol->start : 0,
                               .end = symbol != NULL ? symbol->end : 0,
                               .first = (uint32_t)first,
                               .count_plus_one = (uint32_t)(library->frame_count - first) + 1 };
    library->answer_count++;
    return 0;
}

int symbol_library_resolve(struct symbol_library *library, uint64_t address,
                           struct symbol_frames *out)
{
    struct answer *answer;
    int error = open_file(library);

    *out = (struct symbol_frames){ 0 };
    if (error < 0 || library->file.session == NULL)
        return error;
    error = make_room_for_answer(library);
    if (error < 0)
        return error;
    answer = find_slot(library->answers, library->slot_count, address);
    if (answer->count_plus_one == 0)
        error = make_answer(library, address, answer);
    if (error < 0)
        return error;
    out->frames = library->frames + answer->first;
    out->count = answer->count_plus_one - 1;
    out->start = answer->start;
    out->end = answer->end;
    return 0;
}

const char *symbol_library_location(const struct symbol_library *library, uint32_t location,
                                    size_t *length)
{
    return unique_strings_get(&library->locations, location, length);
}

/* --- Code --- */

/* The part of the ELF file that ADDRESS is loaded from: where it begins there, and how much of it
 * there is from ADDRESS on; false: none that is code. */
static bool find_code(Elf *elf, uint64_t address, int64_t *offset, size_t *available)
{
    size_t count;
    GElf_Phdr header;

    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            (header.p_flags & PF_X) == 0 || address < header.p_vaddr ||
            address - header.p_vaddr >= header.p_filesz)
            continue;
        *offset = (int64_t)(header.p_offset + (address - header.p_vaddr));
        *available = header.p_filesz - (address - header.p_vaddr);
        return true;
    }
    return false;
}

int symbol_library_code(struct symbol_library *library, uint64_t address, uint8_t *code,
                        size_t capacity, size_t *count)
{
    int64_t offset;
    size_t available;
    int error = open_file(library);

    if (error < 0)
        return error;
    if (library->file.session == NULL ||
        !find_code(library->file.elf, address, &offset, &available))
        return -ENOENT;
    *count = available < capacity ? available : capacity;
    const Elf_Data *data = elf_getdata_rawchunk(library->file.elf, offset, *count, ELF_T_BYTE);
    if (data == NULL || data->d_size < *count)
        return -ENOENT;
    memcpy(code, data->d_buf, *count);
    return 0;
}
