/* One thread: its members, and new tables in place of its own. */
#include <errno.h>
#include <stdlib.h>

#include "profctl/json_copy.h"
#include "profctl/naming/naming_pass.h"
#include "profctl/naming/thread_name.h"
#include "profctl/tables/json_text.h"

void naming_forget_thread(struct naming_pass *pass)
{
    free(pass->thread_name);
    free(pass->process_name);
    pass->thread_name = pass->process_name = NULL;
}

/* profd has no stacks; a root that has some is a process that wrote its profile by itself. */
static void count_root(struct naming_pass *pass)
{
    if (pass->counts != NULL || pass->tables.stacks.count == 0)
        return;
    pass->counts = pass->process_counts;
    pass->counts->processes++;
}

/* A string, or null, which leaves *TEXT NULL. */
static int keep_text(struct naming_pass *pass, char **text)
{
    free(*text);
    *text = NULL;
    return json_text_keep(pass->reader, text);
}

/* It waits for the tables, which may tell a better one. */
static int keep_thread_name(struct naming_pass *pass)
{
    return pass->is_renamed ? naming_copy_member(pass) : keep_text(pass, &pass->thread_name);
}

static int copy_process_name(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    if (error == 0)
        error = keep_text(pass, &pass->process_name);
    if (error < 0)
        return error;
    if (pass->process_name != NULL)
        json_string(pass->writer, pass->process_name);
    else
        json_null(pass->writer);
    return 0;
}

static void write_thread_name(struct naming_pass *pass)
{
    const char *name = pass->thread_name, *purpose = pass->renamed.purpose;
    const char *process_name = pass->process_name != NULL ? pass->process_name : "";

    if (name == NULL)
        return;
    bool is_better =
        purpose != NULL && thread_name_is_inherited(name, process_name, &pass->libraries);
    json_string_property(pass->writer, "name", is_better ? purpose : name);
}

/* All three tables are there: the new ones are made and written in their place. */
static int write_tables(struct naming_pass *pass)
{
    const struct symbol_source source = { pass->cache, &pass->libraries, &pass->generated,
                                          pass->pid_here != 0 ? pass->pid_here : pass->pid };
    struct symbolicated_thread *renamed = &pass->renamed;
    int error = thread_tables_read_stacks(&pass->tables, pass->reader);

    if (error < 0 || pass->is_renamed)
        return error < 0 ? error : -EPROTO;
    error = category_lists_map_frames(pass->categories, &pass->tables);
    if (error < 0)
        return error;
    pass->is_renamed = true;
    count_root(pass);
    error = symbolicate_thread(&pass->tables, &source, renamed);
    if (error < 0)
        return error;
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

static int copy_pid(struct naming_pass *pass)
{
    int token, error = naming_copy_key(pass);

    if (error < 0)
        return error;
    token = json_reader_next(pass->reader);
    if (token == JSON_TOKEN_NUMBER && json_reader_i64(pass->reader, &pass->pid) != 0)
        return -EPROTO;
    pass->generated.pid = pass->pid;
    return json_copy_from(pass->reader, token, pass->writer);
}

/* The first thread of a process is there from its beginning. */
static int copy_register_time(struct naming_pass *pass)
{
    double register_ms = 0;
    int error = naming_copy_number(pass, &register_ms);

    if (pass->generated.start_ms == 0)
        pass->generated.start_ms = pass->zero_ms + register_ms;
    return error;
}

/* Members that refer to others come behind them in captures, which are written as they are read. */
static bool is_too_early(const struct naming_pass *pass)
{
    return (json_reader_is(pass->reader, "frameTable") && pass->tables.stage < TABLES_STRINGS) ||
           (json_reader_is(pass->reader, "stackTable") && pass->tables.stage < TABLES_FRAMES) ||
           ((json_reader_is(pass->reader, "samples") || json_reader_is(pass->reader, "markers")) &&
            !pass->is_renamed);
}

static int thread_member(struct naming_pass *pass)
{
    if (is_too_early(pass))
        return json_reader_refuse(
            pass->reader,
            "a thread's tables come after what refers to them, as Firefox writes them; profctl "
            "reports on such profiles and converts them, but cannot make captures of them");
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
        return naming_copy_samples(pass);
    if (json_reader_is(pass->reader, "markers"))
        return naming_copy_markers(pass);
    return naming_copy_member(pass);
}

int naming_copy_thread(struct naming_pass *pass)
{
    int error;

    thread_tables_clear(&pass->tables);
    naming_forget_thread(pass);
    json_start_object(pass->writer);
    error = naming_each_member(pass, thread_member);
    if (error == 0 && !pass->is_renamed)
        error = -EPROTO;
    if (pass->is_renamed)
        symbolicated_thread_free(&pass->renamed);
    pass->is_renamed = false;
    if (error == 0 && pass->events.on_thread != NULL)
        pass->events.on_thread(pass->events.context, json_reader_offset(pass->reader));
    return error;
}
