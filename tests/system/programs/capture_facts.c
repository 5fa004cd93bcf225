/* capture_facts <CAPTURE.json: what a Gecko profile says, one fact a line, fields separated by
 * tabs, for the tests to look at. Times are milliseconds on the root's time line.
 *
 * - process PID NAME
 * - meta PID KEY VALUE (dotted keys; "profd.…" tells what became of the process)
 * - thread PID NAME SAMPLES FIRST-TIME LAST-TIME MARKERS
 * - string PID TEXT (function, label and marker names)
 * - marker PID THREAD NAME START END PHASE TEXT
 * - life PID THREAD START END (END is nan for one that did not end)
 * - delay PID THREAD TIME EVENT-DELAY (of samples that have one)
 * - counter PID NAME CATEGORY COUNT OPERATIONS (sums over all samples)
 * - allocation PID THREAD SIZE ADDRESS THREAD-ID FUNCTION (the innermost)
 * - value PID THREAD MARKER TYPE KEY VALUE (of a payload; indices as their strings)
 * - caller PID THREAD MARKER FUNCTION (of the stack of a marker, innermost first)
 * - schema PID TYPE (of markers)
 * - field PID TYPE KEY FORMAT
 * - category PID NAME COLOUR SUBCATEGORIES (separated by "|")
 * - frame PID LOCATION CATEGORY SUBCATEGORY (by the root's list, as viewers read them)
 * - marked PID NAME CATEGORY (of a marker; likewise)
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct process {
    const char *pid, *name;
    double shift_ms; /* from its own times to the root's */
    const cJSON *schemas;
};

static const cJSON *root_categories;

static char *read_all(FILE *file, size_t *bytes)
{
    size_t capacity = 1 << 20;
    char *all = NULL;
    *bytes = 0;
    do {
        char *larger = realloc(all, capacity *= 2);
        if (larger == NULL)
            return NULL;
        all = larger;
        *bytes += fread(all + *bytes, 1, capacity - 1 - *bytes, file);
    } while (*bytes == capacity - 1);
    all[*bytes] = '\0';
    return all;
}

static const cJSON *get_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number_or(const cJSON *item, double otherwise)
{
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static const char *text_or(const cJSON *item, const char *otherwise)
{
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

/* The column of FIELD in TABLE's rows, -1 when it has none. */
static int column(const cJSON *table, const char *field)
{
    return (int)number_or(get_member(get_member(table, "schema"), field), -1);
}

static double cell(const cJSON *row, int at)
{
    return at < 0 ? NAN : number_or(cJSON_GetArrayItem(row, at), NAN);
}

static void print_meta(const char *pid, const char *prefix, const cJSON *value)
{
    char key[512];
    const cJSON *item;
    if (cJSON_IsObject(value)) {
        cJSON_ArrayForEach(item, value)
        {
            snprintf(key, sizeof(key), "%s%s%s", prefix, *prefix ? "." : "", item->string);
            print_meta(pid, key, item);
        }
    } else if (cJSON_IsString(value)) {
        printf("meta\t%s\t%s\t%s\n", pid, prefix, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        printf("meta\t%s\t%s\t%.15g\n", pid, prefix, value->valuedouble);
    } else if (cJSON_IsBool(value)) {
        printf("meta\t%s\t%s\t%s\n", pid, prefix, cJSON_IsTrue(value) ? "true" : "false");
    }
}

static void print_life(const struct process *process, const cJSON *thread)
{
    printf("life\t%s\t%s\t%.6f\t%.6f\n", process->pid, text_or(get_member(thread, "name"), ""),
           number_or(get_member(thread, "registerTime"), NAN) + process->shift_ms,
           number_or(get_member(thread, "unregisterTime"), NAN) + process->shift_ms);
}

static void print_samples(const struct process *process, const cJSON *thread)
{
    const cJSON *samples = get_member(thread, "samples"), *rows = get_member(samples, "data"), *row;
    int time_column = column(samples, "time"), delay_column = column(samples, "eventDelay");
    double first = NAN, last = NAN;
    cJSON_ArrayForEach(row, rows)
    {
        double time = cell(row, time_column) + process->shift_ms;
        first = isnan(first) ? time : first;
        last = time;
        if (cell(row, delay_column) > 0)
            printf("delay\t%s\t%s\t%.6f\t%.6f\n", process->pid,
                   text_or(get_member(thread, "name"), ""), time, cell(row, delay_column));
    }
    printf("thread\t%s\t%s\t%d\t%.3f\t%.3f\t%d\n", process->pid,
           text_or(get_member(thread, "name"), ""), cJSON_GetArraySize(rows), first, last,
           cJSON_GetArraySize(get_member(get_member(thread, "markers"), "data")));
}

/* The function that STACK ends in. */
static const char *innermost_function(const cJSON *thread, int stack)
{
    const cJSON *stacks = get_member(thread, "stackTable"),
                *frames = get_member(thread, "frameTable");
    const cJSON *row = cJSON_GetArrayItem(get_member(stacks, "data"), stack);
    int frame = (int)cell(row, column(stacks, "frame"));
    int location = (int)cell(cJSON_GetArrayItem(get_member(frames, "data"), frame),
                             column(frames, "location"));
    return text_or(cJSON_GetArrayItem(get_member(thread, "stringTable"), location), "");
}

static void print_allocation(const struct process *process, const cJSON *thread,
                             const cJSON *payload)
{
    const cJSON *samples = get_member(get_member(payload, "stack"), "samples");
    const cJSON *row = cJSON_GetArrayItem(get_member(samples, "data"), 0);
    printf("allocation\t%s\t%s\t%.0f\t%.0f\t%.0f\t%s\n", process->pid,
           text_or(get_member(thread, "name"), ""), number_or(get_member(payload, "size"), NAN),
           number_or(get_member(payload, "memoryAddress"), NAN),
           number_or(get_member(payload, "threadId"), NAN),
           row != NULL ? innermost_function(thread, (int)cell(row, column(samples, "stack"))) : "");
}

static const cJSON *find_schema(const cJSON *schemas, const char *name)
{
    const cJSON *schema;
    cJSON_ArrayForEach(schema, schemas)
    {
        if (strcmp(text_or(get_member(schema, "name"), ""), name) == 0)
            return schema;
    }
    return NULL;
}

static const char *format_of(const cJSON *schema, const char *key)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, get_member(schema, "data"))
    {
        if (strcmp(text_or(get_member(field, "key"), ""), key) == 0)
            return text_or(get_member(field, "format"), "");
    }
    return "";
}

static bool is_index(const char *format)
{
    return strcmp(format, "unique-string") == 0 || strcmp(format, "flow-id") == 0 ||
           strcmp(format, "terminating-flow-id") == 0;
}

static void print_schemas(const struct process *process, const cJSON *schemas)
{
    const cJSON *schema, *field;
    cJSON_ArrayForEach(schema, schemas)
    {
        const char *name = text_or(get_member(schema, "name"), "");
        printf("schema\t%s\t%s\n", process->pid, name);
        cJSON_ArrayForEach(field, get_member(schema, "data"))
        {
            printf("field\t%s\t%s\t%s\t%s\n", process->pid, name,
                   text_or(get_member(field, "key"), ""), text_or(get_member(field, "format"), ""));
        }
    }
}

/* PREFIX: the first fields of the line. */
static void print_callers(const char *prefix, const cJSON *thread, const cJSON *stack)
{
    const cJSON *row = cJSON_GetArrayItem(get_member(get_member(stack, "samples"), "data"), 0);
    const cJSON *stacks = get_member(get_member(thread, "stackTable"), "data");
    const cJSON *frames = get_member(get_member(thread, "frameTable"), "data");
    double at = cell(row, 0);
    while (!isnan(at)) {
        row = cJSON_GetArrayItem(stacks, (int)at);
        const cJSON *frame = cJSON_GetArrayItem(frames, (int)cell(row, 1));
        const cJSON *name =
            cJSON_GetArrayItem(get_member(thread, "stringTable"), (int)cell(frame, 0));
        printf("caller\t%s\t%s\n", prefix, text_or(name, ""));
        at = cell(row, 0);
    }
}

static void print_payload(const struct process *process, const cJSON *thread, const char *marker,
                          const cJSON *data)
{
    const char *type = text_or(get_member(data, "type"), ""),
               *name = text_or(get_member(thread, "name"), "");
    const cJSON *schema = find_schema(process->schemas, type), *item;
    char prefix[512];
    snprintf(prefix, sizeof(prefix), "%s\t%s\t%s", process->pid, name, marker);
    cJSON_ArrayForEach(item, data)
    {
        const cJSON *value = item;
        if (strcmp(item->string, "stack") == 0)
            print_callers(prefix, thread, item);
        if (is_index(format_of(schema, item->string)))
            value = cJSON_GetArrayItem(get_member(thread, "stringTable"), (int)number_or(item, -1));
        if (cJSON_IsString(value))
            printf("value\t%s\t%s\t%s\t%s\n", prefix, type, item->string, value->valuestring);
        else if (cJSON_IsNumber(value))
            printf("value\t%s\t%s\t%s\t%.15g\n", prefix, type, item->string, value->valuedouble);
    }
}

static void print_markers(const struct process *process, const cJSON *thread)
{
    const cJSON *markers = get_member(thread, "markers"),
                *strings = get_member(thread, "stringTable"), *row;
    int name = column(markers, "name"), start = column(markers, "startTime"),
        end = column(markers, "endTime"), phase = column(markers, "phase"),
        data = column(markers, "data");
    cJSON_ArrayForEach(row, get_member(markers, "data"))
    {
        const cJSON *payload = cJSON_GetArrayItem(row, data);
        const char *text = text_or(
            get_member(payload, "name"),
            text_or(get_member(payload, "text"), text_or(get_member(payload, "threadName"), "")));
        int string = (int)cell(row, name);
        if (strcmp(text_or(get_member(payload, "type"), ""), "Native allocation") == 0) {
            print_allocation(process, thread, payload);
            continue;
        }
        printf("marker\t%s\t%s\t%s\t%.6f\t%.6f\t%d\t%s\n", process->pid,
               text_or(get_member(thread, "name"), ""),
               text_or(cJSON_GetArrayItem(strings, string), ""),
               cell(row, start) + process->shift_ms, cell(row, end) + process->shift_ms,
               (int)cell(row, phase), text);
        print_payload(process, thread,
                      text_or(cJSON_GetArrayItem(strings, (int)cell(row, name)), ""), payload);
    }
}

static void print_counter(const struct process *process, const cJSON *counter)
{
    const cJSON *samples = get_member(counter, "samples"), *row;
    int count = column(samples, "count"), number = column(samples, "number");
    double counted = 0, operations = 0;
    cJSON_ArrayForEach(row, get_member(samples, "data"))
    {
        counted += cell(row, count);
        operations += cell(row, number);
    }
    printf("counter\t%s\t%s\t%s\t%.0f\t%.0f\n", process->pid,
           text_or(get_member(counter, "name"), ""), text_or(get_member(counter, "category"), ""),
           counted, operations);
}

/* As a line can have it: each byte that ends lines becomes a space. */
static const char *on_a_line(const cJSON *text)
{
    static char line[1024];
    snprintf(line, sizeof(line), "%s", text_or(text, ""));
    for (char *at = line; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    return line;
}

static void print_categories(const struct process *process, const cJSON *categories)
{
    const cJSON *category, *part;
    cJSON_ArrayForEach(category, categories)
    {
        const char *separator = "";
        printf("category\t%s\t%s\t", process->pid, on_a_line(get_member(category, "name")));
        printf("%s\t", text_or(get_member(category, "color"), ""));
        cJSON_ArrayForEach(part, get_member(category, "subcategories"))
        {
            printf("%s%s", separator, on_a_line(part));
            separator = "|";
        }
        printf("\n");
    }
}

static const cJSON *category_of(const cJSON *row, const cJSON *table)
{
    return cJSON_GetArrayItem(root_categories, (int)cell(row, column(table, "category")));
}

static void print_categorized(const struct process *process, const cJSON *thread)
{
    const cJSON *frames = get_member(thread, "frameTable"),
                *markers = get_member(thread, "markers"), *row;
    const cJSON *strings = get_member(thread, "stringTable");
    cJSON_ArrayForEach(row, get_member(frames, "data"))
    {
        const cJSON *category = category_of(row, frames);
        int location = (int)cell(row, column(frames, "location"));
        int part = (int)cell(row, column(frames, "subcategory"));
        printf("frame\t%s\t%s\t", process->pid, on_a_line(cJSON_GetArrayItem(strings, location)));
        printf("%s\t", on_a_line(get_member(category, "name")));
        printf("%s\n", on_a_line(cJSON_GetArrayItem(get_member(category, "subcategories"), part)));
    }
    cJSON_ArrayForEach(row, get_member(markers, "data"))
    {
        int name = (int)cell(row, column(markers, "name"));
        printf("marked\t%s\t%s\t", process->pid, on_a_line(cJSON_GetArrayItem(strings, name)));
        printf("%s\n", on_a_line(get_member(category_of(row, markers), "name")));
    }
}

static void print_process(const cJSON *profile, double root_start_ms)
{
    const cJSON *meta = get_member(profile, "meta"), *threads = get_member(profile, "threads"),
                *item, *string;
    const cJSON *first = cJSON_GetArrayItem(threads, 0), *pid = get_member(first, "pid");
    char number[32];
    snprintf(number, sizeof(number), "%.0f", number_or(pid, 0));
    struct process process = { text_or(pid, number), text_or(get_member(first, "processName"), ""),
                               number_or(get_member(meta, "startTime"), 0) - root_start_ms,
                               get_member(meta, "markerSchema") };
    printf("process\t%s\t%s\n", process.pid, process.name);
    print_meta(process.pid, "", meta);
    print_schemas(&process, process.schemas);
    print_categories(&process, get_member(meta, "categories"));
    cJSON_ArrayForEach(item, get_member(profile, "profilingLog"))
    {
        print_meta(process.pid, "profd", get_member(item, "profd"));
    }
    cJSON_ArrayForEach(item, threads)
    {
        print_samples(&process, item);
        print_life(&process, item);
        print_markers(&process, item);
        print_categorized(&process, item);
        cJSON_ArrayForEach(string, get_member(item, "stringTable"))
        {
            printf("string\t%s\t%s\n", process.pid, text_or(string, ""));
        }
    }
    print_meta(process.pid, "overhead",
               get_member(get_member(profile, "profilerOverhead"), "statistics"));
    cJSON_ArrayForEach(item, get_member(profile, "counters"))
    {
        print_counter(&process, item);
    }
    cJSON_ArrayForEach(item, get_member(profile, "processes"))
    {
        print_process(item, root_start_ms);
    }
}

int main(void)
{
    size_t bytes;
    char *text = read_all(stdin, &bytes);
    cJSON *profile = text != NULL ? cJSON_ParseWithLength(text, bytes) : NULL;
    if (profile == NULL) {
        fprintf(stderr, "capture_facts: not JSON\n");
        return 1;
    }
    root_categories = get_member(get_member(profile, "meta"), "categories");
    print_process(profile, number_or(get_member(get_member(profile, "meta"), "startTime"), 0));
    cJSON_Delete(profile);
    free(text);
    return 0;
}
