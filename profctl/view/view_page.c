#include "profctl/view/view_page.h"

#include "profctl/convert/conversion.h"
#include "profctl/profile/profile_walk.h"

struct page_pass {
    struct conversion page;
    struct library_list *libraries;
    double last_pid; /* whose libraries were added; below 0: none */
    bool names_files;
};

static bool names_files(const struct thread_tables *tables)
{
    const struct table_frame *frames = tables->frames.items;

    for (size_t i = 0; i < tables->frames.count; i++) {
        if (frames[i].file != TABLE_NONE)
            return true;
    }
    return false;
}

/* Threads of a process have the same libraries. */
static int list_libraries(struct page_pass *pass, const struct profile_thread *thread)
{
    if (thread->pid >= 0 && thread->pid == pass->last_pid)
        return 0;
    pass->last_pid = thread->pid;
    return library_list_add(pass->libraries, thread->libraries);
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct page_pass *pass = owner;
    int error = list_libraries(pass, thread);

    pass->names_files = pass->names_files || names_files(thread->tables);
    if (error < 0 || !conversion_wants(pass->page.format, thread))
        return error;
    return conversion_add(&pass->page, thread);
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    return conversion_add_counter(&((struct page_pass *)owner)->page, counter);
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    return conversion_add_meta(&((struct page_pass *)owner)->page, name, json, length);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    return conversion_add_process(&((struct page_pass *)owner)->page, is_root, log);
}

int view_page_make(struct json_reader *reader, int page_fd,
                   const struct profile_comparison *comparison, struct library_list *libraries,
                   struct view_page_result *result)
{
    const struct profile_walk_events events =
        conversion_events(&format_html, (struct profile_walk_events){ .on_thread = on_thread,
                                                                      .on_counter = on_counter,
                                                                      .on_meta = on_meta,
                                                                      .on_process = on_process });
    struct page_pass pass = {
        .page = { .format = &format_html, .write = json_sink_fd, .context = &page_fd },
        .libraries = libraries,
        .last_pid = -1,
    };
    struct profile_facts facts;
    int error = conversion_begin(&pass.page);

    if (error == 0 && comparison != NULL)
        error = conversion_compare(&pass.page, comparison);
    if (error == 0)
        error = profile_walk(reader, &events, &pass, &facts);
    if (error == 0)
        error = conversion_finish(&pass.page, &facts);
    conversion_end(&pass.page);
    *result = (struct view_page_result){ pass.page.write_error, pass.names_files };
    return error;
}
