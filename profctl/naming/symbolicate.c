#include "profctl/naming/symbolicate.h"

#include <errno.h>
#include <string.h>

#include "profctl/json_steps.h"
#include "profctl/naming/naming_pass.h"
#include "profctl/naming/own_stack.h"

/* --- Processes --- */

/* A jitdump is mapped by who writes it, so that its name is found here. */
static int find_dump(struct naming_pass *pass)
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

static int copy_libraries(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    process_libraries_free(&pass->libraries);
    pass->pid = 0;
    if (error == 0)
        error = process_libraries_copy(&pass->libraries, pass->reader, pass->writer);
    return error < 0 ? error : find_dump(pass);
}

static int process_member(struct naming_pass *pass)
{
    if (json_reader_is(pass->reader, "libs"))
        return copy_libraries(pass);
    if (json_reader_is(pass->reader, "threads"))
        return naming_copy_objects(pass, naming_copy_thread);
    return naming_copy_member(pass);
}

static int inner_process_member(struct naming_pass *pass)
{
    pass->has_meta |= json_reader_is(pass->reader, "meta");
    pass->has_threads |= json_reader_is(pass->reader, "threads");
    if (json_reader_is(pass->reader, "meta"))
        return naming_copy_meta(pass);
    return process_member(pass);
}

/* Viewers need at least these; and nobody's process may end where another's is. */
static int check_process(const struct naming_pass *pass, uint64_t end)
{
    if (!pass->has_meta || !pass->has_threads)
        return -EPROTO;
    return end == 0 || json_reader_offset(pass->reader) == end ? 0 : -EPROTO;
}

static int leave_out_empty(struct naming_pass *pass, uint64_t end)
{
    int error = end == 0 || pass->events.may_be_empty ? json_reader_skip(pass->reader) : -EPROTO;

    if (error < 0)
        return error;
    return end == 0 || json_reader_offset(pass->reader) == end ? 0 : -EPROTO;
}

static int copy_process(struct naming_pass *pass)
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
    int error = naming_each_member(pass, inner_process_member);
    return error < 0 ? error : check_process(pass, end);
}

static int copy_processes(struct naming_pass *pass)
{
    int error;

    pass->counts = pass->process_counts;
    error = naming_copy_objects(pass, copy_process);
    pass->counts = NULL;
    return error;
}

/* --- The root --- */

static int root_member(struct naming_pass *pass)
{
    profile_kind_note(&pass->kind, pass->reader);
    if (json_reader_is(pass->reader, "meta"))
        return naming_copy_root_meta(pass);
    if (json_reader_is(pass->reader, "processes"))
        return copy_processes(pass);
    return process_member(pass);
}

static int rewrite_profile(void *context)
{
    struct naming_pass *pass = context;
    int error = naming_enter(pass, JSON_TOKEN_START_OBJECT);

    if (error == 0)
        error = naming_each_member(pass, root_member);
    if (error == 0)
        error = json_expect(pass->reader, JSON_TOKEN_END);
    return error < 0 ? error : profile_kind_check_capture(&pass->kind, pass->reader);
}

int symbolicate_profile(struct json_reader *reader, struct json_writer *writer,
                        struct symbol_cache *cache, struct capture_counts *counts,
                        const struct symbolicate_events *events)
{
    struct naming_pass pass = {
        .reader = reader, .writer = writer, .cache = cache, .process_counts = counts
    };

    *counts = (struct capture_counts){ 0 };
    if (events != NULL)
        pass.events = *events;
    pass.categories = pass.events.categories != NULL ? pass.events.categories : &pass.own_lists;
    int error = own_stack_run(rewrite_profile, &pass);
    naming_forget_thread(&pass);
    jit_process_clear(&pass.generated);
    process_libraries_free(&pass.libraries);
    marker_schemas_free(&pass.schemas);
    category_lists_free(&pass.own_lists);
    thread_tables_free(&pass.tables);
    return error;
}
