#include "profctl/report/status_print.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/clock_choice.h"
#include "common/file_name.h"
#include "common/time_units.h"
#include "profctl/printable.h"
#include "profctl/report/clock_line.h"
#include "profctl/report/stack_lines.h"
#include "profctl/units.h"

enum { MAX_PROCESSES = 40, OUTCOME_BYTES = 64 };

static double number_member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Printable; changed in place. */
static const char *text_member(const cJSON *object, const char *name)
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

    fprintf(out, "session    %s", text_member(session, "state"));
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(session, "sampling_paused")))
        fprintf(out, " without sampling");
    if (cJSON_HasObjectItem(session, "interval_ns")) {
        fprintf(out, " for %.1f s; clock %s, interval %g ms, limit %s, ",
                number_member(session, "elapsed_ms") / MS_PER_S, text_member(session, "clock"),
                number_member(session, "interval_ns") / NS_PER_MS,
                units_format_size((uint64_t)number_member(session, "memory_limit_bytes"), limit));
        print_features(session, out);
        if (text_member(session, "threads")[0] != '\0')
            fprintf(out, ", threads %s", text_member(session, "threads"));
    }
    fputc('\n', out);
}

static void print_owner(const cJSON *part, FILE *out)
{
    const char *owner = text_member(part, "owner");

    if (strcmp(owner, "profd") == 0)
        fprintf(out, "always on");
    else if (strcmp(owner, "program") == 0)
        fprintf(out, "of process %.0f", number_member(part, "pid"));
    else
        fprintf(out, "of profctl");
}

/* Whose the session is, unless it is profctl's alone, as it mostly is. */
static void print_parts(const cJSON *session, FILE *out)
{
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(session, "sessions"), *part;
    const char *separator = "sessions   ";

    if (cJSON_GetArraySize(parts) < 2 &&
        strcmp(text_member(cJSON_GetArrayItem(parts, 0), "owner"), "user") == 0)
        return;
    cJSON_ArrayForEach(part, parts)
    {
        fputs(separator, out);
        print_owner(part, out);
        fprintf(out, ", each %g ms, for %.1f s", number_member(part, "interval_ns") / NS_PER_MS,
                number_member(part, "elapsed_ms") / MS_PER_S);
        separator = "; ";
    }
    if (cJSON_GetArraySize(parts) > 0)
        fputc('\n', out);
}

static void print_memory(const cJSON *memory, FILE *out)
{
    char limit[UNITS_TEXT_BYTES], leased[UNITS_TEXT_BYTES], accounted[UNITS_TEXT_BYTES],
        kernel[UNITS_TEXT_BYTES];

    fprintf(out, "memory     %s of %s leased; %s accounted, %s as the kernel counts\n",
            units_format_size((uint64_t)number_member(memory, "leased_bytes"), leased),
            units_format_size((uint64_t)number_member(memory, "limit_bytes"), limit),
            units_format_size((uint64_t)number_member(memory, "accounted_bytes"), accounted),
            units_format_size((uint64_t)number_member(memory, "kernel_bytes"), kernel));
}

/* Of a session, in a minute. */
static void print_cost(const cJSON *cost, FILE *out)
{
    char blocks[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES];

    if (cost == NULL)
        return;
    fprintf(out, "a minute   %.1f ms of CPU in profd", number_member(cost, "profd_cpu_ms"));
    if (cJSON_HasObjectItem(cost, "export_cpu_ms"))
        fprintf(out, ", %.1f ms in its exporter", number_member(cost, "export_cpu_ms"));
    if (number_member(cost, "blocks") >= 1)
        fprintf(out, "; %s blocks in chunks that were filled, %s",
                units_format_count((uint64_t)number_member(cost, "blocks"), blocks),
                units_format_size((uint64_t)number_member(cost, "bytes"), bytes));
    fputc('\n', out);
}

/* What became of a process, in OUT. */
static const char *process_outcome(const cJSON *process, char out[OUTCOME_BYTES])
{
    const char *verdict = text_member(process, "verdict");
    bool has_code = strcmp(verdict, "exited") == 0 || strcmp(verdict, "killed") == 0;

    if (has_code)
        snprintf(out, OUTCOME_BYTES, "%s (%.0f)", verdict, number_member(process, "code"));
    else
        snprintf(out, OUTCOME_BYTES, "%s",
                 strcmp(verdict, "live") == 0 ? text_member(process, "state") : verdict);
    return out;
}

/* "3 recycled, 1 late-sample"; nothing when nothing was dropped. */
static void print_drops(const cJSON *drops, FILE *out)
{
    const cJSON *drop;
    const char *separator = "; dropped ";

    cJSON_ArrayForEach(drop, drops)
    {
        fprintf(out, "%s%.0f %s", separator, number_member(drop, "count"), drop->string);
        separator = ", ";
    }
}

static void print_size(const cJSON *process, const char *name, FILE *out)
{
    char size[UNITS_TEXT_BYTES];

    if (cJSON_HasObjectItem(process, name))
        fprintf(out, " %9s", units_format_size((uint64_t)number_member(process, name), size));
    else
        fprintf(out, " %9s", "-");
}

static void print_process(const cJSON *process, FILE *out)
{
    const char *path = text_member(process, "executable");
    char ended[OUTCOME_BYTES];

    fprintf(out, "%9.0f  %-14s", number_member(process, "pid"), process_outcome(process, ended));
    if (cJSON_HasObjectItem(process, "threads"))
        fprintf(out, " %7.0f", number_member(process, "threads"));
    else
        fprintf(out, " %7s", "-");
    print_size(process, "recorded_bytes", out);
    print_size(process, "lease_bytes", out);
    fprintf(out, " %7.0fs", number_member(process, "oldest_ms") / MS_PER_S);
    if (cJSON_HasObjectItem(process, "tick_lateness_us"))
        fprintf(out, " %6.2fms", number_member(process, "tick_lateness_us") / US_PER_MS);
    else
        fprintf(out, " %8s", "-");
    fprintf(out, "  %s", file_name_of(path));
    if (text_member(process, "title")[0] != '\0')
        fprintf(out, " (%s)", text_member(process, "title"));
    if (cJSON_HasObjectItem(process, "is_dormant"))
        fputs("; nothing recorded yet", out);
    if (text_member(process, "obstacle")[0] != '\0')
        fprintf(out, "; not profiled: %s", text_member(process, "obstacle"));
    if (cJSON_HasObjectItem(process, "cpu_ms"))
        fprintf(out, "; CPU %.2f s", number_member(process, "cpu_ms") / MS_PER_S);
    if (cJSON_HasObjectItem(process, "has_expired"))
        fputs("; expired", out);
    print_drops(cJSON_GetObjectItemCaseSensitive(process, "drops"), out);
    fputc('\n', out);
}

static void print_processes(const cJSON *processes, FILE *out)
{
    const cJSON *process;
    double left_out = number_member(processes, "not_listed");
    int printed = 0;

    fprintf(out, "processes  %.0f connected, %.0f detached, %.0f ended\n",
            number_member(processes, "connected"), number_member(processes, "detached"),
            number_member(processes, "ended"));
    if (cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(processes, "list")) > 0)
        fprintf(out, "%9s  %-14s %7s %9s %9s %8s %8s  %s\n", "pid", "state", "threads", "recorded",
                "lease", "oldest", "late", "executable");
    cJSON_ArrayForEach(process, cJSON_GetObjectItemCaseSensitive(processes, "list"))
    {
        if (printed++ < MAX_PROCESSES)
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

    fprintf(out, "ended      %.0f profiles kept, %s", number_member(exits, "kept"),
            units_format_size((uint64_t)number_member(exits, "bytes"), kept));
    if (number_member(exits, "expired") > 0)
        fprintf(out, "; %.0f expired", number_member(exits, "expired"));
    if (number_member(exits, "failed") > 0)
        fprintf(out, "; %.0f could not be read", number_member(exits, "failed"));
    fputc('\n', out);
}

static void print_account(const cJSON *account, FILE *out)
{
    char produced[UNITS_TEXT_BYTES], dropped[UNITS_TEXT_BYTES], size[UNITS_TEXT_BYTES];

    if (number_member(account, "produced_blocks") == 0)
        return;
    fprintf(out, "recorded   %s blocks, %s; %s of them dropped\n",
            units_format_count((uint64_t)number_member(account, "produced_blocks"), produced),
            units_format_size((uint64_t)number_member(account, "produced_bytes"), size),
            units_format_count((uint64_t)number_member(account, "dropped_blocks"), dropped));
}

/* A group of the document: what is not known there is AUTO, or OTHER. */
static struct clock_group group_of(const cJSON *item)
{
    struct clock_group group = {
        .processes = (uint64_t)number_member(item, "processes"),
        .shortest_ns = (uint64_t)number_member(item, "shortest_interval_ns"),
        .longest_ns = (uint64_t)number_member(item, "longest_interval_ns"),
        .refusal = clock_refusal_named(text_member(item, "refused")),
    };

    (void)clock_choice_parse(text_member(item, "clock"), &group.clock);
    return group;
}

/* What takes the samples of how many processes. */
static void print_clocks(const cJSON *root, FILE *out)
{
    const cJSON *session = cJSON_GetObjectItemCaseSensitive(root, "session");
    const cJSON *processes = cJSON_GetObjectItemCaseSensitive(root, "processes");
    const char *title = "clock";
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(processes, "clocks"))
    {
        struct clock_group group = group_of(item);
        char line[CLOCK_LINE_BYTES];

        fprintf(
            out, "%-10s %s\n", title,
            clock_line_format(&group, (uint64_t)number_member(session, "interval_ns"), true, line));
        title = "";
    }
}

static double drop_count(const cJSON *drops, const char *cause)
{
    return number_member(cJSON_GetObjectItemCaseSensitive(drops, cause), "count");
}

static void print_stacks(const cJSON *root, FILE *out)
{
    const cJSON *processes = cJSON_GetObjectItemCaseSensitive(root, "processes"), *process;
    struct stack_refusals refused = { 0 };

    cJSON_ArrayForEach(process, cJSON_GetObjectItemCaseSensitive(processes, "list"))
    {
        const cJSON *drops = cJSON_GetObjectItemCaseSensitive(process, "drops");
        refused.unreadable += drop_count(drops, "unreadable-stack");
        refused.unasked += drop_count(drops, "refused-signal");
    }
    stack_lines_print("stacks    ", &refused, out);
}

int status_print(const char *json, FILE *out)
{
    cJSON *root = cJSON_Parse(json);
    const cJSON *command;

    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return -EPROTO;
    }
    fprintf(out, "profd      %s, pid %.0f, at %s, up %.0f s\n", text_member(root, "version"),
            number_member(root, "pid"), text_member(root, "socket"),
            number_member(root, "uptime_ms") / MS_PER_S);
    print_session(cJSON_GetObjectItemCaseSensitive(root, "session"), out);
    print_parts(cJSON_GetObjectItemCaseSensitive(root, "session"), out);
    print_clocks(root, out);
    print_stacks(root, out);
    print_memory(cJSON_GetObjectItemCaseSensitive(root, "memory"), out);
    print_cost(cJSON_GetObjectItemCaseSensitive(root, "minute_cost"), out);
    cJSON_ArrayForEach(command, cJSON_GetObjectItemCaseSensitive(root, "commands"))
    {
        fprintf(out, "command    %s (pid %.0f)\n", text_member(command, "command"),
                number_member(command, "pid"));
    }
    print_exits(cJSON_GetObjectItemCaseSensitive(root, "exit_profiles"), out);
    print_account(cJSON_GetObjectItemCaseSensitive(root, "account"), out);
    print_processes(cJSON_GetObjectItemCaseSensitive(root, "processes"), out);
    cJSON_Delete(root);
    return 0;
}
