#include "daemon/programs/config_export.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/export_terms.h"
#include "common/label_list.h"
#include "common/time_units.h"
#include "common/units.h"

/* --- What values can be --- */

static int check_every(struct config_reader *reader, const char *text)
{
    uint64_t ns;
    int error = units_parse_time(text, NS_PER_S, &ns);

    return error == 0 && ns >= EXPORT_LEAST_EVERY_MS * (uint64_t)NS_PER_MS &&
                   ns <= EXPORT_MOST_EVERY_MS * (uint64_t)NS_PER_MS
               ? 0
               : config_refuse(reader, "is a time from \"1s\" to \"60m\"");
}

static int check_timeout(struct config_reader *reader, const char *text)
{
    uint64_t ns;
    int error = units_parse_time(text, NS_PER_S, &ns);

    return error == 0 && ns > 0 ? 0 : config_refuse(reader, "is a time like \"20s\"");
}

static int check_size(struct config_reader *reader, const char *text)
{
    uint64_t bytes;

    return units_parse_size(text, &bytes) == 0 && bytes >= EXPORT_LEAST_SPOOL_BYTES &&
                   bytes <= INT64_MAX
               ? 0
               : config_refuse(reader, "is a size of at least 1M, like \"256M\"");
}

static int check_path(struct config_reader *reader, const char *text)
{
    if (text[0] == '-')
        return config_refuse(reader, "cannot begin with '-'; write \"./%.60s\"", text);
    return strlen(text) < PATH_MAX ? 0 : config_refuse(reader, "is too long for a path");
}

static int check_url(struct config_reader *reader, const char *text)
{
    char problem[EXPORT_PROBLEM_BYTES];

    if (!export_url_is_known(text))
        return config_refuse(reader, "must be a URL such as \"clickhouse://HOST/DATABASE\" or "
                                     "\"pyroscope+http://HOST\"");
    return export_url_check(text, problem)
               ? 0
               : config_refuse(reader, "cannot export to that address: %s", problem);
}

/* --- Members that are an option each --- */

static const struct {
    const char *name, *option;
    int (*check)(struct config_reader *reader, const char *text);
} members[] = {
    { "every", "--every", check_every },          { "timeout", "--timeout", check_timeout },
    { "spool", "--spool", check_path },           { "spool_limit", "--spool-limit", check_size },
    { "label_file", "--label-file", check_path },
};

enum {
    MEMBERS = sizeof(members) / sizeof(members[0]),
    OPTIONS_MOST = 2 * (MEMBERS + LABELS_MAX), /* words */
};

static size_t count_options(const struct export_config *export)
{
    size_t count = 0;

    while (export->options[count] != NULL)
        count++;
    return count;
}

static bool has_option(const struct export_config *export, const char *option)
{
    for (char **next = export->options; *next != NULL; next++) {
        if (strcmp(*next, option) == 0)
            return true;
    }
    return false;
}

/* OPTION with VALUE, which is taken over; NULL: there was no memory for it. */
static int add_option(struct config_reader *reader, struct export_config *export,
                      const char *option, char *value)
{
    size_t count = count_options(export);
    char *name = strdup(option);

    if (name == NULL || value == NULL) {
        free(name);
        free(value);
        return config_no_memory(reader);
    }
    export->options[count] = name;
    export->options[count + 1] = value;
    return 0;
}

static int read_option(struct config_reader *reader, struct export_config *export, size_t at)
{
    char *text = NULL;
    int error = has_option(export, members[at].option) ? config_refuse(reader, "is given twice")
                                                       : config_read_text(reader, &text);

    if (error == 0)
        error = members[at].check(reader, text);
    if (error == 0)
        return add_option(reader, export, members[at].option, text);
    free(text);
    return error;
}

/* --- Labels --- */

/* Notes the label among those of the config. */
static int check_label(struct config_reader *reader, const char *key, const char *value,
                       struct label_list *labels)
{
    size_t length = strlen(value);

    if (length >= LABEL_VALUE_BYTES)
        return config_refuse(reader, "%.70s has a value of more than %d bytes", key,
                             LABEL_VALUE_BYTES - 1);
    if (label_list_get(labels, key) != NULL)
        return config_refuse(reader, "%.70s is given twice", key);
    switch (label_list_set(labels, key, strlen(key), value, length)) {
    case 0:
        return 0;
    case -E2BIG:
        return config_refuse(reader, "has more than %d labels", LABELS_MAX);
    default:
        return config_refuse(reader,
                             "'%.70s' cannot be a label: up to %d letters, digits and . _ / -", key,
                             LABEL_KEY_BYTES - 1);
    }
}

/* KEY=VALUE as --label takes it: a comma would end the value, a backslash spoil it. NULL: no
 * memory. */
static char *make_label(const char *key, const char *value)
{
    char *label = malloc(strlen(key) + 1 + 2 * strlen(value) + 1);
    char *end = label;

    if (label == NULL)
        return NULL;
    end = stpcpy(end, key);
    *end++ = '=';
    for (; *value != '\0'; value++) {
        if (*value == ',' || *value == '\\')
            *end++ = '\\';
        *end++ = *value;
    }
    *end = '\0';
    return label;
}

static int read_label(struct config_reader *reader, struct export_config *export,
                      struct label_list *labels)
{
    char *key = NULL, *value = NULL;
    int error = config_expect(reader, JSON_TOKEN_KEY, "a label");

    if (error == 0)
        error = config_take_text(reader, &key);
    if (error == 0)
        error = config_expect(reader, JSON_TOKEN_STRING, "strings as values");
    if (error == 0)
        error = config_take_text(reader, &value);
    if (error == 0)
        error = check_label(reader, key, value, labels);
    if (error == 0)
        error = add_option(reader, export, "--label", make_label(key, value));
    free(key);
    free(value);
    return error;
}

static int read_labels(struct config_reader *reader, struct export_config *export)
{
    struct label_list labels = { 0 };
    bool goes_on = true;
    int error = has_option(export, "--label")
                    ? config_refuse(reader, "is given twice")
                    : config_expect(reader, JSON_TOKEN_START_OBJECT, "an object of strings");

    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on)
        error = read_label(reader, export, &labels);
    return error < 0 ? error : config_expect(reader, JSON_TOKEN_END_OBJECT, "an end");
}

/* --- All of it --- */

static int read_url(struct config_reader *reader, struct export_config *export)
{
    int error = config_read_text(reader, &export->url);

    return error < 0 ? error : check_url(reader, export->url);
}

static int read_value(struct config_reader *reader, struct export_config *export)
{
    size_t length, at = 0;

    while (at < MEMBERS && !json_reader_is(reader->json, members[at].name))
        at++;
    bool is_url = json_reader_is(reader->json, "url");
    bool is_labels = json_reader_is(reader->json, "labels");
    const char *key = json_reader_raw(reader->json, &length);
    if (at == MEMBERS && !is_url && !is_labels)
        return config_refuse(reader,
                             "there is no key \"%.*s\"; there are url, every, timeout, spool, "
                             "spool_limit, labels and label_file",
                             length > 60 ? 60 : (int)length, key);
    snprintf(reader->path, CONFIG_PATH_BYTES, "export.%.*s", (int)length, key);
    return is_url      ? read_url(reader, export)
           : is_labels ? read_labels(reader, export)
                       : read_option(reader, export, at);
}

static int read_members(struct config_reader *reader, struct export_config *export)
{
    bool goes_on = true;
    int error = 0;

    export->options = calloc(OPTIONS_MOST + 1, sizeof(*export->options));
    if (export->options == NULL)
        return config_no_memory(reader);
    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on) {
        snprintf(reader->path, CONFIG_PATH_BYTES, "export");
        error = config_expect(reader, JSON_TOKEN_KEY, "a key");
        if (error == 0)
            error = read_value(reader, export);
    }
    if (error == 0)
        error = config_expect(reader, JSON_TOKEN_END_OBJECT, "an end");
    snprintf(reader->path, error == 0 ? CONFIG_PATH_BYTES : 0, "export");
    return error == 0 && export->url == NULL ? config_refuse(reader, "has no \"url\"") : error;
}

int config_read_export(struct config_reader *reader, struct export_config *export)
{
    int token;
    int error = config_next(reader, &token);

    if (error < 0)
        return error;
    if (token == JSON_TOKEN_START_OBJECT)
        return read_members(reader, export);
    if (token != JSON_TOKEN_STRING)
        return config_refuse(reader, "needs a URL, or an object that has one");
    error = config_take_text(reader, &export->url);
    return error < 0 ? error : check_url(reader, export->url);
}

void config_free_export(struct export_config *export)
{
    for (char **next = export->options; next != NULL && *next != NULL; next++)
        free(*next);
    free(export->options);
    free(export->url);
    *export = (struct export_config){ 0 };
}
