#include "profctl/raw/raw_input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/capture/capture_file.h"
#include "profctl/naming/capture_naming.h"
#include "profctl/raw/raw_lists.h"
#include "profctl/raw/raw_profile.h"

/* What is under way. */
struct raw_input {
    int fd; /* the raw capture; borrowed */
    const char *path;
    int json_fd; /* without names; -1: none */
    struct raw_survey survey;
    struct raw_profile profile;
    struct failure *failure;
};

/* --- Failures --- */

static bool cannot_read(const struct raw_input *input, int error, const char *problem)
{
    bool is_problem = error == -EPROTO || error == -E2BIG;

    failure_set(input->failure, EXIT_CODE_FAILED, "cannot read %s: %s", input->path,
                is_problem && problem[0] != '\0' ? problem : strerror(-error));
    return false;
}

static bool cannot_write(const struct raw_input *input, int error)
{
    failure_set(input->failure, EXIT_CODE_FAILED,
                "cannot make the profile of %s: %s; set TMPDIR to a directory with enough space",
                input->path, strerror(-error));
    return false;
}

/* --- Files without a name --- */

/* A descriptor, or a negative errno. */
static int open_nameless(void)
{
    const char *directory = getenv("TMPDIR");

    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */
    return capture_file_open_nameless(directory != NULL && directory[0] != '\0' ? directory
                                                                                : "/tmp");
}

/* --- From records to names --- */

static bool make_json(struct raw_input *input)
{
    int error = raw_survey_make(&input->survey, input->fd);

    if (error < 0)
        return cannot_read(input, error, input->survey.error);
    input->profile.fd = input->json_fd = open_nameless();
    if (input->json_fd < 0)
        return cannot_write(input, input->json_fd);
    error = raw_profile_write(input->fd, &input->survey, &input->profile);
    if (error == 0)
        return true;
    return error == -EPROTO ? cannot_read(input, error, input->profile.error)
                            : cannot_write(input, error);
}

static bool name_functions(struct raw_input *input, const struct capture_sink *sink,
                           struct capture_counts *counts)
{
    char problem[CAPTURE_PROBLEM_BYTES] = "";
    struct raw_list_archive lists;
    struct symbol_cache *cache = NULL;

    raw_list_archive_init(&lists, input->fd, &input->survey);
    int error = symbol_cache_create(&cache);
    if (error == 0)
        error = capture_naming_run(input->json_fd, &input->profile.places, cache, &lists.archive,
                                   sink, NULL, counts, problem);
    symbol_cache_free(cache);
    if (problem[0] != '\0')
        return cannot_read(input, error, problem);
    return error == 0 || cannot_write(input, error);
}

bool raw_input_write(int fd, const char *path, const struct capture_sink *sink,
                     struct capture_counts *counts, struct failure *failure)
{
    struct raw_input input = { .fd = fd, .path = path, .json_fd = -1, .failure = failure };
    bool is_made = make_json(&input) && name_functions(&input, sink, counts);

    if (is_made && input.survey.is_cut)
        say("%s is incomplete: %s; read the intact part before that, %llu process%s", path,
            input.survey.error, (unsigned long long)input.profile.places.processes,
            input.profile.places.processes == 1 ? "" : "es");
    if (is_made && input.profile.places.missing[0] != '\0')
        say("omitted damaged parts of %s: %s", path, input.profile.places.missing);
    if (input.json_fd >= 0)
        close(input.json_fd);
    capture_result_free(&input.profile.places);
    raw_survey_free(&input.survey);
    return is_made;
}

/* --- Into a file without a name --- */

static int restart_file(void *context)
{
    const int *fd = context;

    return ftruncate(*fd, 0) == 0 && lseek(*fd, 0, SEEK_SET) == 0 ? 0 : -errno;
}

bool raw_input_open(int fd, const char *path, int *out, struct failure *failure)
{
    const struct raw_input input = { .path = path, .failure = failure };
    int file_fd = open_nameless();
    const struct capture_sink sink = { json_sink_fd, restart_file, &file_fd };
    struct capture_counts counts;

    if (file_fd < 0)
        return cannot_write(&input, file_fd);
    bool is_made = raw_input_write(fd, path, &sink, &counts, failure);
    if (is_made && lseek(file_fd, 0, SEEK_SET) < 0)
        is_made = cannot_write(&input, -errno);
    if (is_made)
        *out = file_fd;
    else
        close(file_fd);
    return is_made;
}
