/* What was looked for where, as text and as JSON. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/time_units.h"
#include "profctl/report/missing_symbols.h"
#include "profctl/report/report_output.h"
#include "profctl/symbols/debug_files.h"
#include "profctl/symbols/symbol_file.h"
#include "profctl/units.h"

/* What became of looking for the library's own file. */
static const char *library_state(const struct unnamed_library *library)
{
    struct symbol_file file = { 0 };
    int error = symbol_file_open_itself(library->path, library->build_id, 0, &file);

    symbol_file_close(&file);
    if (error == -ENOENT)
        return "not there";
    if (error == -ESTALE)
        return "a different build: its build id differs";
    return error == 0 ? "there" : "not a readable library";
}

static const char *debug_state(const struct unnamed_library *library,
                               char path[DEBUG_FILE_PATH_BYTES])
{
    if (!debug_file_path(library->build_id, path)) {
        snprintf(path, DEBUG_FILE_PATH_BYTES, "debug information");
        return "the library has no build id to find it by";
    }
    return access(path, F_OK) == 0 ? "there" : "not there";
}

static void print_library(const struct unnamed_library *library, FILE *out)
{
    char path[DEBUG_FILE_PATH_BYTES];
    const char *state = debug_state(library, path);

    fprintf(out, "\n%12.1f%12.1f%12llu  ", (double)library->total.cpu_ns / NS_PER_MS,
            (double)library->self.cpu_ns / NS_PER_MS, (unsigned long long)library->total.samples);
    report_put_text(library->name, strlen(library->name), out);
    fputs(library->build_id[0] != '\0' ? ", build id " : ", without a build id", out);
    report_put_text(library->build_id, strlen(library->build_id), out);
    fputs("\n    ", out);
    report_put_text(library->path, strlen(library->path), out);
    fprintf(out, ": %s\n    %s: %s\n", library_state(library), path, state);
}

void missing_symbols_print_text(const struct missing_symbols *missing, const char *file, FILE *out)
{
    const struct unnamed_library *libraries = missing->libraries.items;
    size_t count = missing->libraries.count;

    if (count == 0) {
        fprintf(out, "%s: all addresses in libraries have names\n", file);
        return;
    }
    fprintf(out, "%s: %zu librar%s addresses without names\n\n", file, count,
            count == 1 ? "y has" : "ies have");
    fputs("    total ms     self ms     samples  library\n", out);
    for (size_t i = 0; i < count; i++)
        print_library(&libraries[i], out);
    fputs(
        "\nprofctl symbolicate names them when the files are here; with --debuginfod it asks the\n"
        "servers of $DEBUGINFOD_URLS.\n",
        out);
}

/* --- JSON --- */

static void put_tried(struct json_writer *json, const char *path, const char *state)
{
    json_start_object(json);
    json_string_property(json, "path", path);
    json_string_property(json, "found", state);
    json_end_object(json);
}

static void put_library(struct json_writer *json, const struct unnamed_library *library)
{
    char path[DEBUG_FILE_PATH_BYTES];
    const char *state = debug_state(library, path);

    json_start_object(json);
    json_string_property(json, "library", library->name);
    json_string_property(json, "path", library->path);
    json_string_property(json, "buildId", library->build_id);
    json_u64_property(json, "total", library->total.samples);
    json_u64_property(json, "self", library->self.samples);
    json_double_property(json, "totalMs", (double)library->total.cpu_ns / NS_PER_MS);
    json_double_property(json, "selfMs", (double)library->self.cpu_ns / NS_PER_MS);
    json_start_array_property(json, "lookedFor");
    put_tried(json, library->path, library_state(library));
    put_tried(json, path, state);
    json_end_array(json);
    json_end_object(json);
}

int missing_symbols_print_json(const struct missing_symbols *missing, const char *file, FILE *out)
{
    const struct unnamed_library *libraries = missing->libraries.items;
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_start_array_property(writer, "libraries");
    for (size_t i = 0; i < missing->libraries.count; i++)
        put_library(writer, &libraries[i]);
    json_end_array(writer);
    return report_json_end(&json, out);
}
