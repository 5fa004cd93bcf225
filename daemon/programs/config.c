#include "daemon/programs/config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/features.h"
#include "common/output_pattern.h"
#include "common/short_file.h"
#include "common/units.h"
#include "daemon/programs/config_export.h"
#include "daemon/programs/config_program.h"
#include "ipc/messages.h"

static int check_name(struct config_reader *reader, const struct config *config,
                      const struct program_config *program)
{
    for (size_t i = 0; i < config->count; i++) {
        if (strcmp(config->programs[i].name, program->name) == 0)
            return config_refuse(reader, "has the name \"%s\" of programs[%zu]; choose another one",
                                 program->name, i);
    }
    return 0;
}

static int read_program(struct config_reader *reader, struct config *config)
{
    struct program_config program = { .stop_signal = SIGTERM,
                                      .stop_timeout_ms = CONFIG_USUAL_STOP_TIMEOUT_MS };

    snprintf(reader->path, CONFIG_PATH_BYTES, "programs[%zu]", config->count);
    int error =
        config->count < CONFIG_MAX_PROGRAMS
            ? config_expect(reader, JSON_TOKEN_START_OBJECT, "an object with name and command")
            : config_refuse(reader, "has more than %d programs", CONFIG_MAX_PROGRAMS);
    if (error == 0)
        error = config_read_members(reader, &program);
    if (error == 0)
        error = check_name(reader, config, &program);
    if (error < 0) {
        config_free_program(&program);
        return error;
    }
    config->programs[config->count++] = program;
    return 0;
}

static int read_programs(struct config_reader *reader, struct config *config)
{
    bool goes_on = true;

    snprintf(reader->path, CONFIG_PATH_BYTES, "programs");
    if (config->programs != NULL)
        return config_refuse(reader, "is given twice");
    config->programs = calloc(CONFIG_MAX_PROGRAMS, sizeof(*config->programs));
    if (config->programs == NULL)
        return config_no_memory(reader);
    int error = config_expect(reader, JSON_TOKEN_START_ARRAY, "a list of programs");
    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on)
        error = read_program(reader, config);
    if (error < 0)
        return error;
    snprintf(reader->path, CONFIG_PATH_BYTES, "programs");
    error = config_expect(reader, JSON_TOKEN_END_ARRAY, "an end");
    return error == 0 && config->count == 0 ? config_refuse(reader, "is empty") : error;
}

static int read_always(struct config_reader *reader, uint64_t *interval_ns)
{
    char *rate = NULL;

    snprintf(reader->path, CONFIG_PATH_BYTES, "always");
    if (*interval_ns != 0)
        return config_refuse(reader, "is given twice");
    int error = config_read_text(reader, &rate);
    if (error == 0 && units_parse_rate(rate, interval_ns) < 0)
        error = config_refuse(reader, "must be a rate such as \"19Hz\"");
    if (error == 0 &&
        (*interval_ns < MESSAGE_MIN_INTERVAL_NS || *interval_ns > MESSAGE_MAX_INTERVAL_NS))
        error = config_refuse(reader, "must be between \"1/3600Hz\" and \"100000Hz\"");
    free(rate);
    return error;
}

static int read_always_features(struct config_reader *reader, uint64_t *features)
{
    char unknown[FEATURE_WORD_BYTES], refusal[FEATURE_REFUSAL_BYTES];
    char *names = NULL;

    snprintf(reader->path, CONFIG_PATH_BYTES, "always_features");
    if (*features != 0)
        return config_refuse(reader, "is given twice");
    int error = config_read_text(reader, &names);
    if (error == 0 && features_parse(names, features, unknown) < 0)
        error = config_refuse(reader, "%s", features_refuse(unknown, refusal));
    free(names);
    return error;
}

static int read_export(struct config_reader *reader, struct export_config *export)
{
    snprintf(reader->path, CONFIG_PATH_BYTES, "export");
    return export->url != NULL ? config_refuse(reader, "is given twice")
                               : config_read_export(reader, export);
}

static int read_trigger(struct config_reader *reader, struct config *config)
{
    const char *refusal;
    char *text = NULL;
    int error = config_expect(reader, JSON_TOKEN_STRING, "strings only");

    if (error == 0)
        error = config_take_text(reader, &text);
    if (error == 0 && always_on_triggers_add(&config->triggers, text, &refusal) < 0)
        error = config_refuse(reader, "\"%s\" %s", text, refusal);
    free(text);
    return error;
}

static int read_triggers(struct config_reader *reader, struct config *config)
{
    bool goes_on = true;

    snprintf(reader->path, CONFIG_PATH_BYTES, "triggers");
    if (config->triggers.count > 0)
        return config_refuse(reader, "is given twice");
    int error = config_expect(reader, JSON_TOKEN_START_ARRAY, "a list of triggers");
    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on)
        error = read_trigger(reader, config);
    return error < 0 ? error : config_expect(reader, JSON_TOKEN_END_ARRAY, "an end");
}

static int read_trigger_output(struct config_reader *reader, char **output)
{
    snprintf(reader->path, CONFIG_PATH_BYTES, "trigger_output");
    if (*output != NULL)
        return config_refuse(reader, "is given twice");
    int error = config_read_text(reader, output);
    return error == 0 && output_pattern_check(*output, NULL) < 0
               ? config_refuse(reader, "%s", OUTPUT_PATTERN_RULE)
               : error;
}

static int read_key(struct config_reader *reader, struct config *config)
{
    int error = config_expect(reader, JSON_TOKEN_KEY, "a key");

    if (error < 0)
        return error;
    if (json_reader_is(reader->json, "programs"))
        return read_programs(reader, config);
    if (json_reader_is(reader->json, "always"))
        return read_always(reader, &config->always_interval_ns);
    if (json_reader_is(reader->json, "always_features"))
        return read_always_features(reader, &config->always_features);
    if (json_reader_is(reader->json, "export"))
        return read_export(reader, &config->export);
    if (json_reader_is(reader->json, "triggers"))
        return read_triggers(reader, config);
    if (json_reader_is(reader->json, "trigger_output"))
        return read_trigger_output(reader, &config->trigger_output);
    return config_refuse_key(reader, "\"programs\", \"always\", \"always_features\", \"triggers\", "
                                     "\"trigger_output\" or \"export\"");
}

static int read_root(struct config_reader *reader, struct config *config)
{
    bool goes_on = true;
    int token;
    int error = config_expect(reader, JSON_TOKEN_START_OBJECT, "an object with \"programs\"");

    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on) {
        error = read_key(reader, config);
        reader->path[error == 0 ? 0 : strlen(reader->path)] = '\0';
    }
    if (error == 0)
        error = config_expect(reader, JSON_TOKEN_END_OBJECT, "an end");
    if (error == 0 && config->count == 0 && config->always_interval_ns == 0 &&
        config->export.url == NULL)
        error = config_refuse(reader, "has neither \"programs\" nor \"always\" nor \"export\"");
    return error < 0 ? error : config_next(reader, &token); /* nothing may follow */
}

int config_parse(const char *text, size_t bytes, const char *file, struct config *out,
                 char error_text[CONFIG_ERROR_TEXT])
{
    struct config_reader reader = { .text = text, .file = file, .error_text = error_text };

    *out = (struct config){ 0 };
    if (json_reader_open_memory(text, bytes, &reader.json) < 0) {
        snprintf(error_text, CONFIG_ERROR_TEXT, "%.200s: no memory", file);
        return -ENOMEM;
    }
    int error = read_root(&reader, out);
    json_reader_close(reader.json);
    if (error < 0)
        config_free(out);
    return error;
}

int config_load(const char *file, struct config *out, char error_text[CONFIG_ERROR_TEXT])
{
    const char *why = NULL;
    size_t bytes = 0;
    char *text = malloc(CONFIG_MAX_BYTES);
    int error = text == NULL ? -ENOMEM : -EINVAL;

    *out = (struct config){ 0 };
    if (text == NULL)
        why = strerror(ENOMEM);
    else if (short_file_read(file, text, CONFIG_MAX_BYTES, &bytes, &why) &&
             bytes == CONFIG_MAX_BYTES)
        why = strerror(EFBIG);
    if (why != NULL)
        snprintf(error_text, CONFIG_ERROR_TEXT, "cannot read the config %.300s: %s", file, why);
    else
        error = config_parse(text, bytes, file, out, error_text);
    free(text);
    return error;
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        config_free_program(&config->programs[i]);
    free(config->programs);
    config_free_export(&config->export);
    free(config->trigger_output);
    *config = (struct config){ 0 };
}
