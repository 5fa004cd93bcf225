/* /symbolicate/v5: stacks of [library, offset] become functions with files and lines. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "profctl/view/symbol_api.h"

enum { MAX_MODULES = 4096 };

/* One job: the libraries that its stacks name by number, found once. */
struct job {
    const cJSON *memory_map;
    struct symbol_library **modules; /* owned; NULL: the profile has none */
    const char **names;              /* of these; owned, the texts are those of memory_map */
    int module_count;
    cJSON *answer; /* of the job */
};

/* --- Frames --- */

static int add_place(cJSON *object, const struct symbol_library *library,
                     const struct symbol_frame *frame)
{
    size_t length;
    const char *function = symbol_api_function(library, frame->location, &length);
    int error = symbol_api_add_text(object, "function", function, length);

    if (error == 0 && frame->file != NULL)
        error = cJSON_AddStringToObject(object, "file", frame->file) != NULL ? 0 : -ENOMEM;
    if (error == 0 && frame->line != 0)
        error = cJSON_AddNumberToObject(object, "line", frame->line) != NULL ? 0 : -ENOMEM;
    return error;
}

/* Those inlined at the address, the innermost first. */
static int add_inlined(cJSON *object, const struct symbol_library *library,
                       const struct symbol_frames *frames)
{
    cJSON *inlines = frames->count > 1 ? cJSON_AddArrayToObject(object, "inlines") : NULL;
    int error = frames->count > 1 && inlines == NULL ? -ENOMEM : 0;

    for (size_t i = frames->count; i > 1 && error == 0; i--) {
        cJSON *inlined = cJSON_CreateObject();
        if (inlined == NULL || !cJSON_AddItemToArray(inlines, inlined))
            return -ENOMEM;
        error = add_place(inlined, library, &frames->frames[i - 1]);
    }
    return error;
}

static int add_names(cJSON *object, struct symbol_library *library, uint64_t address)
{
    struct symbol_frames frames;
    int error = symbol_library_resolve(library, address, &frames);

    if (error < 0 || frames.count == 0)
        return error;
    error = add_place(object, library, &frames.frames[0]);
    if (error == 0 && frames.start != 0)
        error = symbol_api_add_address(object, "function_offset", address - frames.start);
    if (error == 0 && frames.end > frames.start)
        error = symbol_api_add_address(object, "function_size", frames.end - frames.start);
    return error == 0 ? add_inlined(object, library, &frames) : error;
}

/* A whole number of CELL below LIMIT. */
static bool read_whole(const cJSON *cell, double limit, double *number)
{
    if (!cJSON_IsNumber(cell))
        return false;
    *number = cell->valuedouble;
    return *number >= 0 && *number < limit && *number == floor(*number);
}

static int add_frame(struct job *job, cJSON *stack, int index, const cJSON *asked)
{
    static const double max_offset = 9007199254740992.0; /* what a double holds exactly */
    double module, offset;

    if (!cJSON_IsArray(asked) || cJSON_GetArraySize(asked) != 2 ||
        !read_whole(cJSON_GetArrayItem(asked, 0), job->module_count, &module) ||
        !read_whole(cJSON_GetArrayItem(asked, 1), max_offset, &offset))
        return -EINVAL;
    cJSON *frame = cJSON_CreateObject();
    if (frame == NULL || !cJSON_AddItemToArray(stack, frame))
        return -ENOMEM;
    const char *name = job->names[(int)module];
    int error = cJSON_AddNumberToObject(frame, "frame", index) != NULL &&
                        cJSON_AddStringToObject(frame, "module", name) != NULL
                    ? symbol_api_add_address(frame, "module_offset", (uint64_t)offset)
                    : -ENOMEM;
    struct symbol_library *library = job->modules[(int)module];
    return error == 0 && library != NULL ? add_names(frame, library, (uint64_t)offset) : error;
}

static int add_stack(struct job *job, cJSON *stacks, const cJSON *asked)
{
    cJSON *stack = cJSON_CreateArray();
    const cJSON *frame;
    int index = 0, error = 0;

    if (stack == NULL || !cJSON_AddItemToArray(stacks, stack))
        return -ENOMEM;
    if (!cJSON_IsArray(asked))
        return -EINVAL;
    cJSON_ArrayForEach(frame, asked)
    {
        error = add_frame(job, stack, index++, frame);
        if (error < 0)
            return error;
    }
    return error;
}

/* --- Jobs --- */

/* Whether its symbols could be read is told as "found". */
static int find_module(struct library_list *libraries, const cJSON *names, cJSON *found,
                       struct symbol_library **out)
{
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(names, 0));
    const char *id = cJSON_GetStringValue(cJSON_GetArrayItem(names, 1));
    char key[1024];
    int error;

    if (name == NULL || id == NULL)
        return -EINVAL;
    *out = library_list_find(libraries, name, id, &error);
    if (error < 0)
        return error;
    snprintf(key, sizeof(key), "%s/%s", name, id);
    if (cJSON_GetObjectItemCaseSensitive(found, key) != NULL)
        return 0;
    return cJSON_AddBoolToObject(found, key, *out != NULL) != NULL ? 0 : -ENOMEM;
}

static int find_modules(struct job *job, struct library_list *libraries)
{
    cJSON *found = cJSON_AddObjectToObject(job->answer, "found_modules");
    const cJSON *names;
    int count = cJSON_GetArraySize(job->memory_map), error = 0;

    if (count > MAX_MODULES)
        return -EINVAL;
    job->modules = calloc((size_t)count + 1, sizeof(struct symbol_library *));
    job->names = calloc((size_t)count + 1, sizeof(*job->names));
    if (found == NULL || job->modules == NULL || job->names == NULL)
        return -ENOMEM;
    cJSON_ArrayForEach(names, job->memory_map)
    {
        job->names[job->module_count] = cJSON_GetStringValue(cJSON_GetArrayItem(names, 0));
        error = find_module(libraries, names, found, &job->modules[job->module_count++]);
        if (error < 0)
            return error;
    }
    return error;
}

static int answer_stacks(struct job *job, const cJSON *asked)
{
    cJSON *stacks = cJSON_AddArrayToObject(job->answer, "stacks");
    const cJSON *stack;
    int error = 0;

    if (stacks == NULL)
        return -ENOMEM;
    cJSON_ArrayForEach(stack, asked)
    {
        error = add_stack(job, stacks, stack);
        if (error < 0)
            return error;
    }
    return error;
}

static int answer_job(struct library_list *libraries, const cJSON *asked, cJSON *results)
{
    struct job job = { .memory_map = cJSON_GetObjectItemCaseSensitive(asked, "memoryMap"),
                       .answer = cJSON_CreateObject() };
    const cJSON *stacks = cJSON_GetObjectItemCaseSensitive(asked, "stacks");

    if (job.answer == NULL || !cJSON_AddItemToArray(results, job.answer))
        return -ENOMEM;
    if (!cJSON_IsArray(job.memory_map) || !cJSON_IsArray(stacks))
        return -EINVAL;
    int error = find_modules(&job, libraries);
    if (error == 0)
        error = answer_stacks(&job, stacks);
    free(job.modules);
    free((void *)job.names);
    return error;
}

/* A request is one job, or has several. */
int symbol_api_symbolicate(struct library_list *libraries, const cJSON *request, cJSON *answer)
{
    const cJSON *jobs = cJSON_GetObjectItemCaseSensitive(request, "jobs"), *job;
    cJSON *results = cJSON_AddArrayToObject(answer, "results");
    int error = 0;

    if (results == NULL)
        return -ENOMEM;
    if (jobs == NULL)
        return answer_job(libraries, request, results);
    if (!cJSON_IsArray(jobs))
        return -EINVAL;
    cJSON_ArrayForEach(job, jobs)
    {
        error = answer_job(libraries, job, results);
        if (error < 0)
            return error;
    }
    return error;
}
