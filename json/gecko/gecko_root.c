#include "json/gecko/gecko_root.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "buffer/dictionary.h"
#include "common/time_units.h"
#include "json/gecko/gecko_meta.h"
#include "json/gecko/gecko_root_counters.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"

enum {
    CPU_INFO_BYTES = 2048,
    DEFAULT_INTERVAL_NS = NS_PER_MS,
    BYTES_PER_ENTRY = 8, /* the format counts capacity in entries */
};

static int64_t relative_ns(const struct gecko_root_options *options, uint64_t time_ns)
{
    return (int64_t)(time_ns - options->reference_ns);
}

/* The table SCHEMA without rows, as a property. */
static void stream_empty_table(struct json_writer *writer, const char *name,
                               const char *const *columns)
{
    json_name(writer, name);
    gecko_start_table(writer, columns);
    gecko_end_table(writer);
}

static void stream_only_sample(struct json_writer *writer, const struct gecko_root_options *options)
{
    json_name(writer, "samples");
    gecko_start_table(writer, gecko_sample_columns);
    json_start_array(writer);
    json_null(writer);
    json_time_ms(writer, relative_ns(options, options->session_start_ns));
    json_u64(writer, 0);
    json_u64(writer, 0);
    json_end_array(writer);
    gecko_end_table(writer);
}

/* The loader shows no process without a thread, so profd has one. */
static void stream_own_thread(struct json_writer *writer, const struct gecko_root_options *options)
{
    uint64_t start_ns =
        options->profd_start_ns != 0 ? options->profd_start_ns : options->session_start_ns;
    json_start_object(writer);
    json_string_property(writer, "name", "GeckoMain");
    json_string_property(writer, "processType", "default");
    json_string_property(writer, "processName", "profd");
    json_time_ms_property(writer, "registerTime", relative_ns(options, start_ns));
    json_null_property(writer, "unregisterTime");
    json_i64_property(writer, "pid", options->pid);
    json_i64_property(writer, "tid", options->pid);
    json_start_array_property(writer, "stringTable");
    json_end_array(writer);
    stream_empty_table(writer, "frameTable", gecko_frame_columns);
    stream_empty_table(writer, "stackTable", gecko_stack_columns);
    stream_only_sample(writer, options);
    stream_empty_table(writer, "markers", gecko_marker_columns);
    json_end_object(writer);
}

void gecko_root_begin(struct json_writer *writer, const struct gecko_root_options *options)
{
    json_start_object(writer);
    json_start_array_property(writer, "libs");
    json_end_array(writer);
    gecko_stream_sources(writer);
    json_start_array_property(writer, "pausedRanges");
    json_end_array(writer);
    json_start_array_property(writer, "threads");
    stream_own_thread(writer, options);
    json_end_array(writer);
    json_start_array_property(writer, "processes");
}

/* The items of a comma-separated list. */
static void stream_list(struct json_writer *writer, const char *name, const char *list)
{
    json_start_array_property(writer, name);
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");
        if (length > 0)
            json_string_bytes(writer, list, length);
        list += length + (list[length] == ',');
    }
    json_end_array(writer);
}

static void stream_configuration(struct json_writer *writer,
                                 const struct gecko_root_options *options)
{
    json_start_object_property(writer, "configuration");
    stream_list(writer, "threads", options->thread_filters);
    json_start_array_property(writer, "features");
    for (size_t i = 0; options->features != NULL && options->features[i] != NULL; i++)
        json_string(writer, options->features[i]);
    json_end_array(writer);
    json_u64_property(writer, "capacity", options->memory_limit_bytes / BYTES_PER_ENTRY);
    json_end_object(writer);
}

static void stream_sample_units(struct json_writer *writer)
{
    json_start_object_property(writer, "sampleUnits");
    json_string_property(writer, "time", "ms");
    json_string_property(writer, "eventDelay", "ms");
    json_string_property(writer, "threadCPUDelta", "µs");
    json_end_object(writer);
}

/* Reads the start of a file of /proc into TEXT, terminated; empty when it cannot be read. */
static void read_start(const char *path, char *text, size_t capacity)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, capacity - 1);
    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* What follows FIELD at the start of one of its lines, up to the line's end; NULL without it. */
static const char *find_field(const char *text, const char *field, size_t *length)
{
    const char *value = strstr(text, field);
    if (value == NULL)
        return NULL;
    value += strlen(field);
    *length = strcspn(value, "\n");
    return value;
}

/* The processor as the kernel describes it. */
static void stream_processor(struct json_writer *writer)
{
    char text[CPU_INFO_BYTES];
    size_t length;
    read_start("/proc/cpuinfo", text, sizeof(text));
    const char *name = find_field(text, "\nmodel name\t: ", &length);
    if (name != NULL) {
        json_name(writer, "CPUName");
        json_string_bytes(writer, name, length);
    }
    const char *cores = find_field(text, "\ncpu cores\t: ", &length);
    uint64_t count = cores == NULL ? 0 : strtoull(cores, NULL, 10);
    if (count > 0)
        json_u64_property(writer, "physicalCPUs", count);
    long logical = sysconf(_SC_NPROCESSORS_ONLN);
    if (logical > 0)
        json_u64_property(writer, "logicalCPUs", (uint64_t)logical);
}

static void stream_machine(struct json_writer *writer)
{
    struct utsname names;
    json_string_property(writer, "platform", "Linux");
    if (uname(&names) == 0) {
        char system[sizeof(names.release) + sizeof(names.machine) + sizeof("Linux  ")];
        stpcpy(stpcpy(stpcpy(stpcpy(system, "Linux "), names.release), " "), names.machine);
        json_string_property(writer, "oscpu", system);
    }
    stream_processor(writer);
}

static void stream_product(struct json_writer *writer)
{
    static const char *const extension_columns[] = { "id", "name", "baseURL", NULL };
    json_string_property(writer, "product", "profd");
    json_string_property(writer, "misc", "rv:" PROFD_VERSION); /* viewers show it as the version */
    json_string_property(writer, "appBuildID", PROFD_VERSION);
    json_string_property(writer, "abi", "x86_64-gcc3");
    json_string_property(writer, "toolkit", "native");
    stream_empty_table(writer, "extensions", extension_columns);
}

void gecko_root_stream_meta(struct json_writer *writer, const struct gecko_root_options *options,
                            const struct gecko_categories *categories,
                            const struct marker_types *types)
{
    uint64_t interval_ns = options->interval_ns != 0 ? options->interval_ns : DEFAULT_INTERVAL_NS;
    uint64_t end_ns = options->capture_ns > options->session_start_ns
                          ? options->capture_ns
                          : options->session_start_ns + interval_ns;
    gecko_stream_common_meta(writer, options->reference_unix_ns, categories, types);
    json_u64_property(writer, "startTimeAsClockMonotonicNanosecondsSinceBoot",
                      options->reference_ns);
    json_null_property(writer, "shutdownTime");
    json_time_ms_property(writer, "profilingStartTime",
                          relative_ns(options, options->session_start_ns));
    json_time_ms_property(writer, "profilingEndTime", relative_ns(options, end_ns));
    json_time_ms_property(writer, "interval", (int64_t)interval_ns);
    json_u64_property(writer, "stackwalk", 1);
    json_u64_property(writer, "debug", 0);
    json_u64_property(writer, "gcpoison", 0);
    json_u64_property(writer, "asyncstack", 0);
    json_u64_property(writer, "processType", 0);
    stream_product(writer);
    stream_machine(writer);
    stream_configuration(writer, options);
    stream_sample_units(writer);
}

static void stream_gathering_log(struct json_writer *writer,
                                 const struct gecko_root_options *options, struct json_writer *log)
{
    char pid[JSON_SCALAR_MAX_BYTES];
    *json_format_u64(pid, (uint64_t)options->pid) = '\0';
    json_start_object_property(writer, "profileGatheringLog");
    if (log != NULL && json_writer_bytes(log) > 0) {
        json_name(writer, pid);
        json_splice(writer, log);
    }
    json_end_object(writer);
}

void gecko_root_stream_no_gathering(struct json_writer *writer)
{
    json_start_object_property(writer, "profileGatheringLog");
    json_end_object(writer);
}

void gecko_root_end(struct json_writer *writer, const struct gecko_root_options *options,
                    struct json_writer *log)
{
    json_end_array(writer);
    gecko_root_stream_counters(writer, options);
    stream_gathering_log(writer, options, log);
    /* Last, because only now it is known what the time range must cover. */
    json_start_object_property(writer, "meta");
    gecko_root_stream_meta(writer, options, NULL, NULL);
    json_end_object(writer);
    json_end_object(writer);
}
