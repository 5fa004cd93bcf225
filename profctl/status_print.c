#include "profctl/status_print.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "profctl/failure.h"
#include "profctl/units.h"

enum { MOST_PROCESSES = 40 };

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Printable; changed in place. */
static const char *text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? make_printable(item->valuestring) : "";
}

static void print_features(const cJSON *session, FILE *out)
{
    const cJSON *feature;
    const char *separator = "";

    cJSON_ArrayForEach(feature, cJSON_GetObjectItemCaseSensitive(session, "features"))
    {
        fprintf(out, "%s%s", separator, cJSON_IsString(feature) ? feature->valuestring : "?");
        separator = ",";
    }
}

static void print_session(const cJSON *session, FILE *out)
{
    char limit[UNITS_TEXT_BYTES];

    fprintf(out, "session    %s", text(session, "state"));
    if (cJSON_HasObjectItem(session, "interval_ns")) {
        fprintf(out, " for %.1f s; interval %g ms, limit %s, ", number(session, "elapsed_ms") / 1e3,
                number(session, "interval_ns") / 1e6,
                units_format_size((uint64_t)number(session, "memory_limit_bytes"), limit));
        print_features(session, out);
        if (text(session, "threads")[0] != '\0')
            fprintf(out, ", threads %s", text(session, "threads"));
    }
    fputc('\n', out);
}

static void print_process(const cJSON *process, FILE *out)
{
    const char *path = text(process, "executable");
    const char *slash = strrchr(path, '/');
    const char *verdict = text(process, "verdict");
    char recorded[UNITS_TEXT_BYTES], outcome[64];
    bool has_code = strcmp(verdict, "exited") == 0 || strcmp(verdict, "killed") == 0;

    snprintf(outcome, sizeof(outcome), "%s", verdict);
    if (has_code)
        snprintf(outcome, sizeof(outcome), "%s (%.0f)", verdict, number(process, "code"));
    fprintf(out, "%9.0f  %-10s %-14s %10s  %s\n", number(process, "pid"), text(process, "state"),
            outcome, units_format_size((uint64_t)number(process, "recorded_bytes"), recorded),
            slash != NULL ? slash + 1 : path);
}

static void print_processes(const cJSON *processes, FILE *out)
{
    const cJSON *process;
    double left_out = number(processes, "not_listed");
    int printed = 0;

    fprintf(out, "processes  %.0f connected, %.0f detached, %.0f ended\n",
            number(processes, "connected"), number(processes, "detached"),
            number(processes, "ended"));
    if (cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(processes, "list")) > 0)
        fprintf(out, "%9s  %-10s %-14s %10s  %s\n", "pid", "state", "verdict", "recorded",
                "executable");
    cJSON_ArrayForEach(process, cJSON_GetObjectItemCaseSensitive(processes, "list"))
    {
        if (printed++ < MOST_PROCESSES)
            print_process(process, out);
        else
            left_out++;
    }
    if (left_out > 0)
        fprintf(out, "           and %.0f more; --json lists them\n", left_out);
}

static void print_exits(const cJSON *exits, FILE *out)
{
    char kept[UNITS_TEXT_BYTES];

    fprintf(out, "ended      %.0f profiles kept, %s", number(exits, "kept"),
            units_format_size((uint64_t)number(exits, "bytes"), kept));
    if (number(exits, "expired") > 0)
        fprintf(out, "; %.0f expired", number(exits, "expired"));
    if (number(exits, "failed") > 0)
        fprintf(out, "; %.0f could not be read", number(exits, "failed"));
    fputc('\n', out);
}

int status_print(const char *json, FILE *out)
{
    cJSON *root = cJSON_Parse(json);
    const cJSON *command;

    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return -EPROTO;
    }
    fprintf(out, "profd      %s, pid %.0f, at %s, up %.0f s\n", text(root, "version"),
            number(root, "pid"), text(root, "socket"), number(root, "uptime_ms") / 1e3);
    print_session(cJSON_GetObjectItemCaseSensitive(root, "session"), out);
    cJSON_ArrayForEach(command, cJSON_GetObjectItemCaseSensitive(root, "commands"))
    {
        fprintf(out, "command    %s (pid %.0f)\n", text(command, "command"),
                number(command, "pid"));
    }
    print_exits(cJSON_GetObjectItemCaseSensitive(root, "exit_profiles"), out);
    print_processes(cJSON_GetObjectItemCaseSensitive(root, "processes"), out);
    cJSON_Delete(root);
    return 0;
}
