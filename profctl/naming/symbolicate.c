#include "profctl/naming/symbolicate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/naming/own_stack.h"
#include "profctl/naming/symbolicate_thread.h"
#include "profctl/naming/thread_name.h"
#include "profctl/tables/category_lists.h"
#include "profctl/tables/json_text.h"
#include "profctl/tables/marker_payload.h"

struct pass {
    struct json_reader *reader;
    struct json_writer *writer;
    struct symbol_cache *cache;
    struct capture_counts *process_counts;
    struct capture_counts *counts; /* NULL in the root while that is profd itself */
    struct symbolicate_events events;
    bool has_meta, has_threads;         /* of the process at hand */
    struct thread_tables tables;        /* of the thread at hand */
    struct symbolicated_thread renamed; /* … and the new ones */
    bool is_renamed;                    /* … once they are there */
    char *thread_name, *process_name;   /* … owned; NULL: none so far */
    struct marker_schemas schemas;      /* of markers */
    struct category_lists own_lists;    /* when the caller has none */
    struct category_lists *categories;
    struct process_libraries libraries; /* of the process at hand */
    int64_t pid;                        /* … 0 while unknown */
    int64_t pid_here;                   /* … as the kernel calls it here; 0: not known */
    struct jit_process generated;       /* … and its generated code */
    double zero_ms;                     /* … what its times count from, since the epoch */
};

/* Goes over the members of an object whose start was read and written: MEMBER is called after each
 * key, before it is written. Writes the end, too. */
static int for_each_member(struct pass *pass, int (*member)(struct pass *pass))
{
    int err = 0;

    while (json_next_member(pass->reader, &err)) {
        err = member(pass);
        if (err == 0)
            err = failure_latch_error(pass->writer->latch);
    }
    json_end_object(pass->writer);
    return err;
}

/* The next value must be of this kind; writes its start. */
static int enter(struct pass *pass, enum json_token start)
{
    int err = json_expect(pass->reader, start);

    if (err < 0)
        return err;
    if (start == JSON_TOKEN_START_OBJECT)
        json_start_object(pass->writer);
    else
        json_start_array(pass->writer);
    return 0;
}

static int copy_key(struct pass *pass)
{
    return json_copy_token(pass->reader, JSON_TOKEN_KEY, pass->writer);
}

static int copy_member(struct pass *pass)
{
    return json_copy_member(pass->reader, pass->writer);
}

/* --- Rows of samples and markers --- */

/* The places of cells in rows of samples and of markers. */
enum { FIRST_CELL = 0, MARKER_CATEGORY = 4 };

/* Copies a row whose start was read, each cell with COPY. */
static int copy_row(struct pass *pass, int (*copy)(struct pass *pass, unsigned cell, int token))
{
    int token = json_reader_next(pass->reader);

    json_start_array(pass->writer);
    int err = copy(pass, FIRST_CELL, token);
    for (unsigned cell = 1;
         err == 0 && (token = json_reader_next(pass->reader)) != JSON_TOKEN_END_ARRAY; cell++)
        err = copy(pass, cell, token);
    json_end_array(pass->writer);
    return err;
}

static int old_index(struct pass *pass, int token, size_t count, uint32_t *index)
{
    uint64_t value;

    if (token != JSON_TOKEN_NUMBER)
        return json_token_error(token);
    if (json_reader_u64(pass->reader, &value) != 0 || value >= count)
        return -EPROTO;
    *index = (uint32_t)value;
    return 0;
}

static int map_stack(struct pass *pass, int token)
{
    uint32_t index;
    int err;

    if (token == JSON_TOKEN_NULL) {
        json_null(pass->writer);
        return 0;
    }
    err = old_index(pass, token, pass->tables.stacks.count, &index);
    if (err == 0)
        json_u64(pass->writer, symbolicated_stack(&pass->renamed, index));
    return err;
}

static int copy_sample_cell(struct pass *pass, unsigned cell, int token)
{
    if (cell != FIRST_CELL)
        return json_copy_from(pass->reader, token, pass->writer);
    if (pass->counts != NULL)
        pass->counts->samples++;
    return map_stack(pass, token);
}

static int map_name(struct pass *pass, int token)
{
    uint32_t index;
    int err = old_index(pass, token, pass->tables.strings.count, &index);

    if (pass->counts != NULL)
        pass->counts->markers++;
    if (err == 0 && symbolicated_string(&pass->renamed, index) == UNIQUE_NONE)
        err = -EPROTO;
    if (err == 0)
        json_u64(pass->writer, symbolicated_string(&pass->renamed, index));
    return err;
}

static int map_category(struct pass *pass, int token)
{
    uint32_t category, subcategory = 0;
    int err = old_index(pass, token, UINT32_MAX, &category);

    if (err == 0)
        err = category_lists_map(pass->categories, &category, &subcategory);
    if (err == 0)
        json_u64(pass->writer, category);
    return err;
}

static int copy_marker_cell(struct pass *pass, unsigned cell, int token)
{
    if (cell == FIRST_CELL)
        return map_name(pass, token);
    if (cell == MARKER_CATEGORY && token == JSON_TOKEN_NUMBER)
        return map_category(pass, token);
    if (token == JSON_TOKEN_START_OBJECT)
        return marker_payload_copy(&pass->schemas, &pass->renamed, pass->reader, pass->writer);
    return json_copy_from(pass->reader, token, pass->writer);
}

/* Copies the array of rows that comes next. */
static int copy_rows(struct pass *pass, int (*copy)(struct pass *pass, unsigned cell, int token))
{
    int err = enter(pass, JSON_TOKEN_START_ARRAY);

    while (json_next_array(pass->reader, &err))
        err = copy_row(pass, copy);
    json_end_array(pass->writer);
    return err;
}

static int samples_member(struct pass *pass)
{
    int err;

    if (!json_reader_is(pass->reader, "data"))
        return copy_member(pass);
    err = copy_key(pass);
    return err < 0 ? err : copy_rows(pass, copy_sample_cell);
}

static int markers_member(struct pass *pass)
{
    int err;

    if (!json_reader_is(pass->reader, "data"))
        return copy_member(pass);
    err = copy_key(pass);
    return err < 0 ? err : copy_rows(pass, copy_marker_cell);
}

static int copy_table(struct pass *pass, int (*member)(struct pass *pass))
{
    int err;

    if (!pass->is_renamed)
        return -EPROTO;
    err = copy_key(pass);
    if (err == 0)
        err = enter(pass, JSON_TOKEN_START_OBJECT);
    return err < 0 ? err : for_each_member(pass, member);
}

/* --- Threads --- */

/* profd has no stacks; a root that has some is a process that wrote its profile by itself. */
static void count_root(struct pass *pass)
{
    if (pass->counts != NULL || pass->tables.stacks.count == 0)
        return;
    pass->counts = pass->process_counts;
    pass->counts->processes++;
}

/* A string, or null, which leaves *TEXT NULL. */
static int keep_text(struct pass *pass, char **text)
{
    free(*text);
    *text = NULL;
    return json_text_keep(pass->reader, text);
}

/* It waits for the tables, which may tell a better one. */
static int keep_thread_name(struct pass *pass)
{
    return pass->is_renamed ? copy_member(pass) : keep_text(pass, &pass->thread_name);
}

static int copy_process_name(struct pass *pass)
{
    int err = copy_key(pass);

    if (err == 0)
        err = keep_text(pass, &pass->process_name);
    if (err < 0)
        return err;
    if (pass->process_name != NULL)
        json_string(pass->writer, pass->process_name);
    else
        json_null(pass->writer);
    return 0;
}

static void write_thread_name(struct pass *pass)
{
    const char *name = pass->thread_name, *purpose = pass->renamed.purpose;
    const char *process_name = pass->process_name != NULL ? pass->process_name : "";

    if (name == NULL)
        return;
    bool is_better =
        purpose != NULL && thread_name_is_inherited(name, process_name, &pass->libraries);
    json_string_property(pass->writer, "name", is_better ? purpose : name);
}

static void forget_names(struct pass *pass)
{
    free(pass->thread_name);
    free(pass->process_name);
    pass->thread_name = pass->process_name = NULL;
}

/* All three tables are there: the new ones are made and written in their place. */
static int write_tables(struct pass *pass)
{
    const struct symbol_source source = { pass->cache, &pass->libraries, &pass->generated,
                                          pass->pid_here != 0 ? pass->pid_here : pass->pid };
    struct symbolicated_thread *renamed = &pass->renamed;
    int err = thread_tables_read_stacks(&pass->tables, pass->reader);

    if (err < 0 || pass->is_renamed)
        return err < 0 ? err : -EPROTO;
    err = category_lists_map_frames(pass->categories, &pass->tables);
    if (err < 0)
        return err;
    pass->is_renamed = true;
    count_root(pass);
    err = symbolicate_thread(&pass->tables, &source, renamed);
    if (err < 0)
        return err;
    write_thread_name(pass);
    json_name(pass->writer, "stringTable");
    unique_strings_stream(&renamed->strings, pass->writer);
    json_name(pass->writer, "frameTable");
    unique_stacks_stream_frame_table(&renamed->stacks, pass->writer);
    json_name(pass->writer, "stackTable");
    unique_stacks_stream_stack_table(&renamed->stacks, pass->writer);
    if (pass->counts != NULL) {
        pass->counts->threads++;
        pass->counts->named += renamed->named;
        pass->counts->unnamed += renamed->unnamed;
    }
    return 0;
}

static int copy_pid(struct pass *pass)
{
    int token, err = copy_key(pass);

    if (err < 0)
        return err;
    token = json_reader_next(pass->reader);
    if (token == JSON_TOKEN_NUMBER && json_reader_i64(pass->reader, &pass->pid) != 0)
        return -EPROTO;
    pass->generated.pid = pass->pid;
    return json_copy_from(pass->reader, token, pass->writer);
}

/* Copies a member whose value, if it is a number, is kept in *VALUE. */
static int copy_number(struct pass *pass, double *value)
{
    int token, err = copy_key(pass);

    if (err < 0)
        return err;
    token = json_reader_next(pass->reader);
    if (token == JSON_TOKEN_NUMBER)
        *value = json_reader_double(pass->reader);
    return json_copy_from(pass->reader, token, pass->writer);
}

/* The first thread of a process is there from its beginning. */
static int copy_register_time(struct pass *pass)
{
    double register_ms = 0;
    int err = copy_number(pass, &register_ms);

    if (pass->generated.start_ms == 0)
        pass->generated.start_ms = pass->zero_ms + register_ms;
    return err;
}

static int thread_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "name"))
        return keep_thread_name(pass);
    if (json_reader_is(pass->reader, "processName"))
        return copy_process_name(pass);
    if (json_reader_is(pass->reader, "registerTime"))
        return copy_register_time(pass);
    if (json_reader_is(pass->reader, "pid"))
        return copy_pid(pass);
    if (json_reader_is(pass->reader, "stringTable"))
        return thread_tables_read_strings(&pass->tables, pass->reader);
    if (json_reader_is(pass->reader, "frameTable"))
        return thread_tables_read_frames(&pass->tables, pass->reader);
    if (json_reader_is(pass->reader, "stackTable"))
        return write_tables(pass);
    if (json_reader_is(pass->reader, "samples"))
        return copy_table(pass, samples_member);
    if (json_reader_is(pass->reader, "markers"))
        return copy_table(pass, markers_member);
    return copy_member(pass);
}

static int copy_thread(struct pass *pass)
{
    int err;

    thread_tables_clear(&pass->tables);
    forget_names(pass);
    json_start_object(pass->writer);
    err = for_each_member(pass, thread_member);
    if (err == 0 && !pass->is_renamed)
        err = -EPROTO;
    if (pass->is_renamed)
        symbolicated_thread_free(&pass->renamed);
    pass->is_renamed = false;
    if (err == 0 && pass->events.on_thread != NULL)
        pass->events.on_thread(pass->events.context, json_reader_offset(pass->reader));
    return err;
}

/* --- Processes --- */

/* Copies the array of objects that comes next, each with COPY, which starts behind its start. */
static int copy_objects(struct pass *pass, int (*copy)(struct pass *pass))
{
    int err = copy_key(pass);

    if (err == 0)
        err = enter(pass, JSON_TOKEN_START_ARRAY);
    while (json_next_object(pass->reader, &err))
        err = copy(pass);
    json_end_array(pass->writer);
    return err;
}

/* A jitdump is mapped by who writes it, so that its name is found here. */
static int find_dump(struct pass *pass)
{
    const struct process_library *libraries = pass->libraries.libraries.items;

    for (size_t i = 0; i < pass->libraries.libraries.count; i++) {
        if (pass->generated.dump_path != NULL || !jit_is_dump_path(libraries[i].path))
            continue;
        pass->generated.dump_path = strdup(libraries[i].path);
        if (pass->generated.dump_path == NULL)
            return -ENOMEM;
    }
    return 0;
}

static int copy_libraries(struct pass *pass)
{
    int err = copy_key(pass);

    process_libraries_free(&pass->libraries);
    pass->pid = 0;
    if (err == 0)
        err = process_libraries_copy(&pass->libraries, pass->reader, pass->writer);
    return err < 0 ? err : find_dump(pass);
}

/* Who owns the process' files; no viewer knows this member, so it is not copied. */
static int take_user(struct pass *pass)
{
    int token = json_reader_next(pass->reader);

    if (token != JSON_TOKEN_NUMBER)
        return json_token_error(token);
    pass->generated.knows_user = json_reader_i64(pass->reader, &pass->generated.user) == 0;
    return 0;
}

static int copy_shutdown_time(struct pass *pass)
{
    double shutdown_ms = 0;
    int err = copy_number(pass, &shutdown_ms);

    pass->generated.end_ms = shutdown_ms != 0 ? pass->zero_ms + shutdown_ms : 0;
    return err;
}

static int copy_schemas(struct pass *pass)
{
    int err = copy_key(pass);

    return err < 0 ? err : marker_schemas_copy(&pass->schemas, pass->reader, pass->writer);
}

static int copy_categories(struct pass *pass)
{
    int err = copy_key(pass);

    if (err == 0)
        err = category_lists_read(pass->categories, pass->reader);
    if (err == 0)
        category_lists_write(pass->categories, pass->writer);
    return err;
}

static int meta_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "startTime"))
        return copy_number(pass, &pass->zero_ms);
    if (json_reader_is(pass->reader, "userId"))
        return take_user(pass);
    if (json_reader_is(pass->reader, "shutdownTime"))
        return copy_shutdown_time(pass);
    if (json_reader_is(pass->reader, "markerSchema"))
        return copy_schemas(pass);
    if (json_reader_is(pass->reader, "categories"))
        return copy_categories(pass);
    return copy_member(pass);
}

static int copy_meta(struct pass *pass)
{
    int err = copy_key(pass);

    if (err == 0)
        err = enter(pass, JSON_TOKEN_START_OBJECT);
    return err < 0 ? err : for_each_member(pass, meta_member);
}

static int process_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "libs"))
        return copy_libraries(pass);
    if (json_reader_is(pass->reader, "threads"))
        return copy_objects(pass, copy_thread);
    return copy_member(pass);
}

static int inner_process_member(struct pass *pass)
{
    pass->has_meta |= json_reader_is(pass->reader, "meta");
    pass->has_threads |= json_reader_is(pass->reader, "threads");
    if (json_reader_is(pass->reader, "meta"))
        return copy_meta(pass);
    return process_member(pass);
}

/* Viewers need at least these; and nobody's process may end where another's is. */
static int check_process(const struct pass *pass, uint64_t end)
{
    if (!pass->has_meta || !pass->has_threads)
        return -EPROTO;
    return end == 0 || json_reader_offset(pass->reader) == end ? 0 : -EPROTO;
}

static int leave_out_empty(struct pass *pass, uint64_t end)
{
    int err = end == 0 || pass->events.may_be_empty ? json_reader_skip(pass->reader) : -EPROTO;

    if (err < 0)
        return err;
    return end == 0 || json_reader_offset(pass->reader) == end ? 0 : -EPROTO;
}

static int copy_process(struct pass *pass)
{
    uint64_t start = json_reader_offset(pass->reader) - 1, end = 0;
    int64_t pid_here = 0;
    int has_members;

    if (pass->events.on_process != NULL)
        end = pass->events.on_process(pass->events.context, start, &pid_here);
    has_members = json_reader_more(pass->reader);
    if (has_members == 0)
        return leave_out_empty(pass, end);
    if (has_members < 0)
        return has_members;
    pass->has_meta = pass->has_threads = false;
    category_lists_forget_process(pass->categories);
    jit_process_clear(&pass->generated);
    pass->generated.archive = pass->events.archive;
    pass->generated.pid_here = pass->pid_here = pid_here;
    json_start_object(pass->writer);
    pass->counts->processes++;
    int err = for_each_member(pass, inner_process_member);
    return err < 0 ? err : check_process(pass, end);
}

static int copy_root_schemas(struct pass *pass)
{
    int err = copy_key(pass);

    return err < 0 ? err : marker_schemas_copy_root(&pass->schemas, pass->reader, pass->writer);
}

static int root_meta_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "presymbolicated"))
        return json_reader_skip(pass->reader);
    if (json_reader_is(pass->reader, "markerSchema"))
        return copy_root_schemas(pass);
    return meta_member(pass);
}

/* The viewer asks only the root's meta, for the whole profile. */
static int copy_root_meta(struct pass *pass)
{
    int err = copy_key(pass);

    if (err == 0)
        err = enter(pass, JSON_TOKEN_START_OBJECT);
    if (err == 0 && pass->cache != NULL)
        json_bool_property(pass->writer, "presymbolicated", true);
    return err < 0 ? err : for_each_member(pass, root_meta_member);
}

static int copy_processes(struct pass *pass)
{
    int err;

    pass->counts = pass->process_counts;
    err = copy_objects(pass, copy_process);
    pass->counts = NULL;
    return err;
}

static int root_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "meta"))
        return copy_root_meta(pass);
    if (json_reader_is(pass->reader, "processes"))
        return copy_processes(pass);
    return process_member(pass);
}

static int rewrite(void *context)
{
    struct pass *pass = context;
    int err = enter(pass, JSON_TOKEN_START_OBJECT);

    if (err == 0)
        err = for_each_member(pass, root_member);
    if (err == 0)
        err = json_expect(pass->reader, JSON_TOKEN_END);
    return err;
}

int symbolicate_profile(struct json_reader *reader, struct json_writer *writer,
                        struct symbol_cache *cache, struct capture_counts *counts,
                        const struct symbolicate_events *events)
{
    struct pass pass = {
        .reader = reader, .writer = writer, .cache = cache, .process_counts = counts
    };

    *counts = (struct capture_counts){ 0 };
    if (events != NULL)
        pass.events = *events;
    pass.categories = pass.events.categories != NULL ? pass.events.categories : &pass.own_lists;
    int err = own_stack_run(rewrite, &pass);
    forget_names(&pass);
    jit_process_clear(&pass.generated);
    process_libraries_free(&pass.libraries);
    marker_schemas_free(&pass.schemas);
    category_lists_free(&pass.own_lists);
    thread_tables_free(&pass.tables);
    return err;
}
