/* A page for a browser, which needs nothing but itself: the template, and in the middle of it what
 * the capture tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/page_comparison.h"
#include "profctl/convert/page_record.h"
#include "profctl/convert/page_template.h"
#include "profctl/convert/profile_format.h"
#include "profctl/profile/process_accounts.h"

struct page {
    struct page_stream stream;
    struct page_told told;
    double sampled_ns[2];         /* of the threads of the process at hand; and of the root's */
    struct mapped_array accounts; /* struct process_account, of each process that was written */
    uint32_t meta_told;           /* bits: members of meta_members */
};

/* What a page shows of "meta". */
static const char *const meta_members[] = { "product",         "misc",        "oscpu",
                                            "CPUName",         "logicalCPUs", "profilingStartTime",
                                            "profilingEndTime" };

static int begin_html(json_sink_write write, void *context, void **out)
{
    struct page *page = calloc(1, sizeof(*page));

    if (page == NULL)
        return -ENOMEM;
    *out = page;
    page_told_init(&page->told, &page->stream);
    int error = page_stream_open(&page->stream, write, context);
    return error < 0 ? error : write(context, page_before_capture, page_before_capture_bytes);
}

static int write_comparison(void *state, const struct profile_comparison *comparison)
{
    struct page *page = state;

    return page_put_comparison(&page->stream, comparison);
}

static int add_meta(void *state, const char *name, const char *json, size_t length)
{
    struct page *page = state;

    if (strcmp(name, "markerSchema") == 0)
        return processed_types_take(&page->told.types, json, length);
    for (size_t i = 0; i < sizeof(meta_members) / sizeof(meta_members[0]); i++) {
        if (strcmp(name, meta_members[i]) != 0 || (page->meta_told & 1u << i) != 0)
            continue;
        page->meta_told |= 1u << i;
        page_put_number(&page->stream, PAGE_META);
        page_put_text(&page->stream, name);
        page_put_bytes(&page->stream, json, length);
    }
    return page->stream.error;
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct page *page = state;

    page->sampled_ns[thread->is_of_root] += profile_thread_cpu_ns(thread);
    return page_put_thread(&page->told, thread);
}

static int add_counter(void *state, const struct profile_counter *counter)
{
    struct page *page = state;

    return page_put_counter(&page->stream, counter);
}

static int add_process(void *state, bool is_root, const struct process_log *log)
{
    struct page *page = state;
    struct process_account *account = mapped_array_push(&page->accounts, sizeof(*account));

    if (account == NULL)
        return -ENOMEM;
    *account = process_account_of(log, page->sampled_ns[is_root], page->accounts.count - 1);
    page->sampled_ns[is_root] = 0;
    return page_put_process(&page->stream, is_root, log);
}

/* What each process used beyond its samples. */
static int put_rests(struct page *page)
{
    struct process_account *accounts = page->accounts.items;
    size_t count = page->accounts.count;
    double *rests_ns = calloc(count + 1, sizeof(*rests_ns));

    if (rests_ns == NULL)
        return -ENOMEM;
    process_accounts_settle(accounts, count);
    for (size_t i = 0; i < count; i++)
        rests_ns[accounts[i].id] = accounts[i].rest_ns;
    page_put_number(&page->stream, count);
    for (size_t i = 0; i < count; i++)
        page_put_real(&page->stream, rests_ns[i]);
    free(rests_ns);
    return 0;
}

static int finish_html(void *state, const struct profile_facts *facts)
{
    struct page *page = state;

    int error = page_put_files(&page->told);
    if (error < 0)
        return error;
    page_put_number(&page->stream, PAGE_END);
    page_put_real(&page->stream, facts->start_unix_ms);
    error = put_rests(page);
    if (error == 0)
        error = page_stream_finish(&page->stream);
    return error < 0 ? error
                     : page->stream.write(page->stream.context, page_behind_capture,
                                          page_behind_capture_bytes);
}

static void end_html(void *state)
{
    struct page *page = state;

    page_told_fini(&page->told);
    page_stream_close(&page->stream);
    mapped_array_free(&page->accounts);
    free(page);
}

const struct profile_format format_html = {
    .name = "html",
    .ending = ".html",
    .summary = "a page for a browser, which needs nothing else",
    .begin = begin_html,
    .add_thread = add_thread,
    .add_counter = add_counter,
    .add_process = add_process,
    .add_meta = add_meta,
    .compare = write_comparison,
    .wants_markers = true,
    .finish = finish_html,
    .end = end_html,
};
