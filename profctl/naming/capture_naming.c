#include "profctl/naming/capture_naming.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "profctl/capture/profile_places.h"

/* A pass over the raw capture. */
struct raw_naming {
    const struct capture_result *result;
    const struct capture_naming_progress *progress; /* NULL: none is reported */
    const struct jit_archive *archive;
    struct category_lists categories;       /* of all processes */
    const struct message_profile_place *at; /* of the process that was begun last; NULL: unknown */
};

static void on_thread(void *context, uint64_t bytes_read)
{
    const struct raw_naming *naming = context;

    if (naming->progress != NULL)
        naming->progress->on_thread(naming->progress->context, bytes_read);
}

/* A profile must be exactly where profd put it. */
static uint64_t on_process(void *context, uint64_t start, int64_t *pid)
{
    struct raw_naming *naming = context;

    naming->at = profile_places_find(naming->result->profile_places,
                                     naming->result->profile_place_count, start);
    if (naming->at != NULL)
        *pid = (int64_t)naming->at->pid;
    return naming->at != NULL ? naming->at->start + naming->at->bytes : 0;
}

/* Every process' list must be that of all, so the lists are read before anything is written. */
static int look_at_categories(struct raw_naming *naming, int raw_fd)
{
    const struct message_profile_place *places = naming->result->profile_places;
    int error = 0;

    for (size_t i = 0; error == 0 && i < naming->result->profile_place_count; i++)
        error =
            category_lists_look_at(&naming->categories, raw_fd, places[i].start, places[i].bytes);
    return error;
}

static bool is_problem_of_capture(int error)
{
    return error == -EPROTO || error == -E2BIG;
}

static int name_once(struct raw_naming *naming, int raw_fd, struct symbol_cache *cache,
                     const struct capture_sink *sink, struct capture_counts *counts, char *problem)
{
    const struct symbolicate_events events = {
        on_thread,      on_process, naming, &naming->categories, naming->result->may_be_empty,
        naming->archive
    };
    struct json_reader *reader = NULL;
    struct json_writer writer;
    struct failure_latch latch;
    int error = lseek(raw_fd, 0, SEEK_SET) < 0 ? -errno : 0;

    if (error == 0)
        error = json_reader_open_fd(raw_fd, &reader);
    if (error < 0)
        return error;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, sink->write, sink->context, &latch);
    error = symbolicate_profile(reader, &writer, cache, counts, &events);
    if (error == 0)
        error = json_writer_flush(&writer);
    if (is_problem_of_capture(error))
        snprintf(problem, CAPTURE_PROBLEM_BYTES, "%s at byte %llu",
                 json_reader_error(reader)[0] != '\0' ? json_reader_error(reader)
                                                      : "not in the order of a capture",
                 (unsigned long long)json_reader_offset(reader));
    json_writer_fini(&writer);
    json_reader_close(reader);
    return error;
}

/* Takes PROFILE out of the raw capture, and says so in RESULT. */
static int leave_profile_out(int raw_fd, struct capture_result *result,
                             const struct message_profile_place *profile)
{
    int error = profile_place_blank(raw_fd, profile);

    if (error < 0)
        return error;
    profile_place_tell(profile, result->missing, sizeof(result->missing));
    profile_places_remove(result->profile_places, &result->profile_place_count, profile);
    return 0;
}

int capture_naming_run(int raw_fd, struct capture_result *result, struct symbol_cache *cache,
                       const struct jit_archive *archive, const struct capture_sink *sink,
                       const struct capture_naming_progress *progress,
                       struct capture_counts *counts, char problem[CAPTURE_PROBLEM_BYTES])
{
    problem[0] = '\0';
    for (;;) {
        struct raw_naming naming = { .result = result, .progress = progress, .archive = archive };
        int error = look_at_categories(&naming, raw_fd);
        if (error == 0)
            error = name_once(&naming, raw_fd, cache, sink, counts, problem);
        category_lists_free(&naming.categories);
        if (!is_problem_of_capture(error) || naming.at == NULL)
            return error;
        error = leave_profile_out(raw_fd, result, naming.at);
        if (error < 0)
            return error;
        problem[0] = '\0';
        error = sink->restart(sink->context);
        if (error < 0)
            return error;
    }
}
