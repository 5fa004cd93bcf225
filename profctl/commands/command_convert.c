/* convert: a profile in the format of another tool. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/output_pattern.h"
#include "profctl/commands/commands.h"
#include "profctl/commands/compared_profiles.h"
#include "profctl/commands/converted_file.h"
#include "profctl/commands/thread_files.h"
#include "profctl/convert/thread_choice.h"
#include "profctl/profile/profile_input.h"

/* What is under way. */
struct convert_run {
    const struct profile_format *format;
    const char *input, *output; /* paths */
    struct thread_choice choice;
    bool merges_exited, merges_none;             /* as the user said */
    const struct profile_comparison *comparison; /* NULL: with nothing */
    struct converted_file file;                  /* of all threads, or of the one at hand */
    bool has_file_for_each;                      /* thread */
    struct thread_files names;                   /* of those files */
    struct profile_facts facts;
    struct failure *failure;
    bool has_told; /* the failure is told already */
    uint64_t threads;
};

/* Tells EVENTS of the input. False with the failure filled. */
static bool walk_input(struct convert_run *conversion, const struct profile_walk_events *events)
{
    struct profile_input input;

    if (!profile_input_open(&input, conversion->input, conversion->failure))
        return false;
    int error = profile_walk(input.reader, events, conversion, &conversion->facts);
    if (error < 0 && !conversion->has_told &&
        !converted_file_failed(&conversion->file, conversion->failure))
        (void)profile_input_failed(&input, error, conversion->failure);
    profile_input_close(&input);
    return error == 0;
}

/* --- Which threads --- */

static int count_thread(void *owner, const struct profile_thread *thread)
{
    struct convert_run *conversion = owner;

    if (!profile_thread_is_of_profd(thread))
        thread_choice_count(&conversion->choice, thread);
    return 0;
}

/* --thread must name exactly one thread. */
static bool check_choice(const struct convert_run *conversion)
{
    const struct thread_choice *choice = &conversion->choice;

    if (choice->wanted != NULL && choice->chosen > 1)
        failure_set(conversion->failure, EXIT_CODE_FAILED,
                    "--thread '%.128s' matches %" PRIu64 " threads of %s; use one of %s%s",
                    choice->wanted, choice->chosen, conversion->input, choice->chosen_text,
                    choice->chosen_noted < choice->chosen ? ", ..." : "");
    else if (choice->wanted != NULL && choice->chosen == 0)
        failure_set(conversion->failure, EXIT_CODE_FAILED,
                    "no thread with samples in %s matches --thread '%.128s'; there are: %s%s",
                    conversion->input, choice->wanted,
                    choice->others > 0 ? choice->others_text : "none",
                    choice->others_noted < choice->others ? ", ..." : "");
    else if (choice->chosen == 0)
        failure_set(conversion->failure, EXIT_CODE_FAILED, "%s has no thread with samples",
                    conversion->input);
    else
        return true;
    return false;
}

/* Reads the input once before anything is written, where that has to be known. */
static bool choose_threads(struct convert_run *conversion)
{
    static const struct profile_walk_events events = { .on_thread = count_thread };

    if (conversion->choice.wanted == NULL && !conversion->format->is_of_one_thread)
        return true;
    if (!profile_input_is_repeatable(conversion->input, conversion->failure) ||
        !walk_input(conversion, &events) || !check_choice(conversion))
        return false;
    conversion->has_file_for_each =
        conversion->format->is_of_one_thread && conversion->choice.chosen > 1;
    return true;
}

/* --- One file --- */

static int add_thread(void *owner, const struct profile_thread *thread)
{
    struct convert_run *conversion = owner;
    bool is_wanted = conversion->choice.wanted != NULL
                         ? !profile_thread_is_of_profd(thread)
                         : conversion_wants(conversion->format, thread);

    if (!is_wanted || !thread_choice_takes(&conversion->choice, thread) ||
        (conversion->format->is_of_one_thread && thread->sample_count == 0))
        return 0;
    conversion->threads++;
    return converted_file_add(&conversion->file, thread);
}

/* Counters belong to the process, and are left out when threads are chosen. */
static int add_counter(void *owner, const struct profile_counter *counter)
{
    struct convert_run *conversion = owner;

    return conversion->choice.wanted != NULL
               ? 0
               : conversion_add_counter(&conversion->file.conversion, counter);
}

static int add_meta(void *owner, const char *name, const char *json, size_t length)
{
    struct convert_run *conversion = owner;

    return conversion_add_meta(&conversion->file.conversion, name, json, length);
}

static int add_process(void *owner, bool is_root, struct process_log *log)
{
    struct convert_run *conversion = owner;

    return conversion_add_process(&conversion->file.conversion, is_root, log);
}

static void choose_lanes(struct convert_run *conversion)
{
    if (conversion->merges_exited)
        conversion_merge_exited(&conversion->file.conversion, 0);
    else if (conversion->merges_none)
        conversion_merge_exited(&conversion->file.conversion, SIZE_MAX);
}

static bool tell_changes(struct convert_run *conversion)
{
    int error = conversion->comparison != NULL
                    ? conversion_compare(&conversion->file.conversion, conversion->comparison)
                    : 0;

    if (error < 0 && !converted_file_failed(&conversion->file, conversion->failure))
        failure_set(conversion->failure, EXIT_CODE_FAILED, "cannot compare: %s", strerror(-error));
    return error == 0;
}

static bool write_one_file(struct convert_run *conversion)
{
    const struct profile_walk_events events =
        conversion_events(conversion->format, (struct profile_walk_events){
                                                  .on_thread = add_thread,
                                                  .on_counter = add_counter,
                                                  .on_meta = add_meta,
                                                  .on_process = add_process,
                                              });

    if (!converted_file_open(&conversion->file, conversion->format, conversion->output,
                             conversion->failure))
        return false;
    choose_lanes(conversion);
    if (!tell_changes(conversion) || !walk_input(conversion, &events))
        return false;
    int error = converted_file_finish(&conversion->file, &conversion->facts);
    if (error < 0 && !converted_file_failed(&conversion->file, conversion->failure))
        failure_set(conversion->failure, EXIT_CODE_FAILED, "cannot convert %s: %s",
                    conversion->input, strerror(-error));
    return error == 0 && converted_file_commit(&conversion->file, conversion->failure);
}

/* --- A file for each thread --- */

static int write_thread(void *owner, const struct profile_thread *thread)
{
    struct convert_run *conversion = owner;
    struct converted_file *file = &conversion->file;
    const char *path;

    if (profile_thread_is_of_profd(thread) || thread->sample_count == 0)
        return 0;
    int error = thread_files_name(&conversion->names, thread, &path);
    if (error < 0)
        return error;
    if (!converted_file_open(file, conversion->format, path, conversion->failure)) {
        conversion->has_told = true;
        return -EIO;
    }
    error = converted_file_add(file, thread);
    if (error == 0)
        error = converted_file_finish(file, &conversion->facts);
    if (error < 0)
        return error;
    conversion->has_told = !converted_file_commit(file, conversion->failure);
    converted_file_close(file);
    if (conversion->has_told)
        return -EIO;
    conversion->threads++;
    return 0;
}

/* All or none: a set that ends anywhere looks like a whole one. */
static bool write_files(struct convert_run *conversion)
{
    static const struct profile_walk_events events = { .on_thread = write_thread };
    bool is_whole = walk_input(conversion, &events);

    if (!is_whole)
        thread_files_remove(&conversion->names, (uint32_t)conversion->threads);
    return is_whole;
}

static bool write_all(struct convert_run *conversion)
{
    return conversion->has_file_for_each ? write_files(conversion) : write_one_file(conversion);
}

static void report_output(const struct convert_run *conversion)
{
    unsigned long long threads = conversion->threads;

    if (conversion->has_file_for_each)
        say("wrote %llu files, %s and so on (%s, one per thread)", threads, conversion->names.first,
            conversion->format->name);
    else
        say("wrote %s (%s, %llu thread%s)", conversion->output, conversion->format->name, threads,
            threads == 1 ? "" : "s");
}

/* By --format, or else by the name of the output. */
static const struct profile_format *choose_format(const struct arguments *arguments,
                                                  struct failure *failure)
{
    const struct profile_format *format = arguments->format != NULL
                                              ? profile_format_named(arguments->format)
                                              : profile_format_of_file(arguments->converted);
    char names[256] = "";

    if (format != NULL)
        return format;
    for (size_t i = 0, used = 0; profile_formats[i] != NULL; i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                                 arguments->format != NULL ? profile_formats[i]->name
                                                           : profile_formats[i]->ending);
    failure_set(failure, EXIT_CODE_USAGE,
                arguments->format != NULL
                    ? "--format '%.64s' is not one of %s"
                    : "'%.128s' does not end in one of %s, .json; use --format",
                arguments->format != NULL ? arguments->format : arguments->converted, names);
    return NULL;
}

/* Options that say something of lanes, of which only some formats know. */
static bool check_lanes(const struct convert_run *conversion)
{
    if (conversion->merges_exited && conversion->merges_none)
        failure_set(conversion->failure, EXIT_CODE_USAGE,
                    "--merge-exited and --no-merge-exited are mutually exclusive");
    else if ((conversion->merges_exited || conversion->merges_none) &&
             conversion->format->merge_exited == NULL)
        failure_set(conversion->failure, EXIT_CODE_USAGE,
                    "--%smerge-exited applies only to --format processed, jslb and trace",
                    conversion->merges_none ? "no-" : "");
    else
        return true;
    return false;
}

/* Whether the output is what captures are: then the names are all that is to be added. */
static bool is_to_be_capture(const struct arguments *arguments)
{
    const char *output = arguments->converted;

    return arguments->format == NULL && arguments->thread == NULL && arguments->before == NULL &&
           !arguments->merge_exited && !arguments->no_merge_exited &&
           profile_format_of_file(output) == NULL &&
           (output_name_ends_in(output, ".json") || output_name_ends_in(output, ".json.gz"));
}

/* A comparison needs a format that can tell of it. */
static bool check_comparison(const struct convert_run *conversion,
                             const struct arguments *arguments)
{
    if (!compared_profiles_check(arguments, conversion->failure))
        return false;
    if (arguments->before == NULL || conversion->format->compare != NULL)
        return true;
    failure_set(conversion->failure, EXIT_CODE_USAGE,
                "--diff applies only to pages; use --format html, or profctl report --diff");
    return false;
}

static bool convert_profile(struct convert_run *conversion)
{
    bool is_done = choose_threads(conversion) && write_all(conversion);

    converted_file_close(&conversion->file);
    return is_done;
}

static bool convert_compared(struct convert_run *conversion, const struct arguments *arguments)
{
    struct report_diff diff;
    bool is_done =
        compared_profiles_read(arguments, &diff, conversion->failure) == EXIT_CODE_SUCCESS;

    if (is_done) {
        const struct profile_comparison comparison = compared_profiles_view(arguments, &diff);
        conversion->comparison = &comparison;
        is_done = convert_profile(conversion);
        conversion->comparison = NULL;
    }
    report_diff_free(&diff);
    return is_done;
}

static int convert_to_capture(const struct arguments *arguments, struct failure *failure)
{
    struct arguments named = *arguments;

    named.output = arguments->converted;
    return command_symbolicate(&named, failure);
}

int command_convert(const struct arguments *arguments, struct failure *failure)
{
    struct convert_run conversion = {
        .input = arguments->operands[0],
        .output = arguments->converted,
        .choice = { .wanted = arguments->thread },
        .merges_exited = arguments->merge_exited,
        .merges_none = arguments->no_merge_exited,
        .failure = failure,
    };

    if (arguments->converted == NULL)
        return (int)failure_set(failure, EXIT_CODE_USAGE, "no output file given; use -o FILE");
    if (strcmp(arguments->converted, "-") == 0)
        return (int)failure_set(failure, EXIT_CODE_USAGE,
                                "cannot write to standard output; use -o FILE");
    if (is_to_be_capture(arguments))
        return profile_input_is_not(conversion.input, conversion.output, failure)
                   ? convert_to_capture(arguments, failure)
                   : (int)failure->code;
    conversion.format = choose_format(arguments, failure);
    if (conversion.format == NULL || !check_lanes(&conversion) ||
        !check_comparison(&conversion, arguments) ||
        !profile_input_is_not(conversion.input, conversion.output, failure))
        return (int)failure->code;
    thread_files_init(&conversion.names, conversion.output, conversion.format->ending);
    bool is_done = arguments->before != NULL ? convert_compared(&conversion, arguments)
                                             : convert_profile(&conversion);
    if (is_done && !arguments->quiet)
        report_output(&conversion);
    thread_files_fini(&conversion.names);
    return is_done ? EXIT_CODE_SUCCESS : (int)failure->code;
}
