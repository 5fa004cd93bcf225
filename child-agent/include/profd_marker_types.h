/* Marker types: markers with payloads that the compiler checks.
 *
 * A type is declared once, in a source file or in a header, with its fields and how viewers show
 * it. Recording one writes the values in binary; names are given when a capture is made.
 *
 *     #define REQUEST_FIELDS(FIELD)                 \
 *         FIELD(URL, url, "URL")                    \
 *         FIELD(INTEGER, status, "Status")          \
 *         FIELD(BYTES, sent, "Bytes sent")          \
 *         FIELD(FLOW_ID, flow, "Request")
 *
 *     PROFD_MARKER_TYPE(request, REQUEST_FIELDS,
 *                       .chart_label = "{marker.data.url}",
 *                       .table_label = "{marker.data.status}: {marker.data.url}");
 *
 *     PROFD_MARKER_TYPED(request, "GET", PROFD_CATEGORY_NETWORK, profd_since(start),
 *                        url, 200, sent_bytes, profd_flow_global(request_id));
 *
 * FIELD(FORMAT, KEY, LABEL): KEY is an identifier, LABEL a string or NULL. A wrong number of
 * values, a value whose type does not match its field, an unknown format, a duplicate key and a
 * label that names no field of the type are compile-time errors. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_MARKER_TYPES_H
#define PROFD_MARKER_TYPES_H

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- Formats of fields, and the types of their values in C --- */

/* Strings, up to the first NUL; NULL: the field is left out. Copied; 16 KB of each are kept. */
typedef const char *profd_STRING;
typedef const char *profd_SANITIZED_STRING;
typedef const char *profd_URL;
typedef const char *profd_FILE_PATH;
typedef const char *profd_UNIQUE_STRING; /* one of few: kept once in a capture */
/* Numbers. Values that are not finite are left out, and so are percentages outside 0 to 1. */
typedef int64_t profd_INTEGER;
typedef uint64_t profd_HEXADECIMAL;
typedef uint64_t profd_BYTES;
typedef double profd_DECIMAL;
typedef double profd_PERCENTAGE; /* 1: all */
/* Durations, in nanoseconds; the format says in which unit they are shown. */
typedef int64_t profd_DURATION; /* in whichever suits */
typedef int64_t profd_SECONDS;
typedef int64_t profd_MILLISECONDS;
typedef int64_t profd_MICROSECONDS;
typedef int64_t profd_NANOSECONDS;
/* A time of PROFD_NOW(); 0 is left out. */
typedef uint64_t profd_TIME;
typedef int32_t profd_PID;
typedef int32_t profd_TID;

/* Flows tie markers of different threads and processes together: those with the same flow belong
 * together. A terminating one is the last of its flow. */
struct profd_flow {
    uint64_t id;
};
typedef struct profd_flow profd_FLOW_ID;
typedef struct profd_flow profd_TERMINATING_FLOW_ID;

#ifndef PROFD_DISABLED

/* The flow of an object of this process, identified by its address. */
struct profd_flow profd_flow_of(const void *object);

/* The flow of NUMBER, which is the same in every process: for the id of a request that travels
 * between them, say. */
struct profd_flow profd_flow_global(uint64_t number);

#endif

/* --- Declaring --- */

/* Where markers of a type are shown. */
enum profd_place {
    PROFD_IN_MARKER_CHART = 1,
    PROFD_IN_MARKER_TABLE = 2,
    PROFD_IN_TIMELINE_OVERVIEW = 4,
    PROFD_IN_TIMELINE_MEMORY = 8,
    PROFD_IN_TIMELINE_IPC = 16,
    PROFD_IN_TIMELINE_FILE_IO = 32,
    PROFD_IN_STACK_CHART = 64
};

/* For is_stack_based, alone or with 1. Calls that are estimated from samples end where a task
 * begins, and those that begin inside a marker that nests end with it. */
enum { PROFD_TASKS = 2 };

/* What PROFD_MARKER_TYPE's further arguments may set, in this order. Labels refer to a marker as
 * "{marker.name}" and to a field as "{marker.data.KEY}". A label that refers to anything else, and
 * a colour field that is not a string field of the type, are compile-time errors. Where the
 * compiler cannot check (C without optimisation), the agent reports the mistake at the first marker
 * of the type, counts it as "marker-labels", and leaves the label or colour out. */
struct profd_marker_type {
    const char *name;
    const struct profd_marker_field *fields;
    uint32_t field_count;
    volatile uint32_t id;
    uint32_t places;           /* enum profd_place; 0: chart and table */
    uint32_t is_stack_based;   /* 1: markers of one thread nest, as calls do; PROFD_TASKS: each is
                                * a task of an event loop */
    const char *chart_label;   /* NULL: the marker's name */
    const char *table_label;   /* NULL: nothing */
    const char *tooltip_label; /* NULL: the marker's name */
    const char *colour_field;  /* PROFD_KEY() of a STRING field that holds "red", "blue" … */
};

#ifndef PROFD_DISABLED

/* PROFD_MARKER_TYPE(NAME, FIELDS, …) declares the marker type NAME, an identifier, with FIELDS, a
 * macro as in the example above. Ends with a semicolon. */
#define PROFD_MARKER_TYPE(NAME, ...) PROFD_MARKER_TYPE_(NAME, __VA_ARGS__, )
#define PROFD_MARKER_TYPE_(NAME, FIELDS, ...)                                                      \
    struct profd_keys_##NAME {                                                                     \
        char type, cause, stack, innerWindowID, startTime, endTime;                                \
        FIELDS(PROFD_FIELD_KEY_)                                                                   \
    };                                                                                             \
    static PROFD_CONSTANT_ struct profd_marker_field profd_fields_##NAME[] = { FIELDS(             \
        PROFD_FIELD_ENTRY_){ 0, 0, 0 } };                                                          \
    PROFD_QUIET_BEGIN_                                                                             \
    PROFD_CHECK_DISPLAY_(NAME, FIELDS, __VA_ARGS__)                                                \
    static struct profd_marker_type profd_type_##NAME __attribute__((unused)) = {                  \
        .name = #NAME,                                                                             \
        .fields = profd_fields_##NAME,                                                             \
        .field_count = sizeof(profd_fields_##NAME) / sizeof(profd_fields_##NAME[0]) - 1,           \
        .id = 0,                                                                                   \
        __VA_ARGS__                                                                                \
    };                                                                                             \
    PROFD_QUIET_END_                                                                               \
    __attribute__((unused)) static inline void profd_record_##NAME(                                \
        struct profd_site *profd_site,                                                             \
        struct profd_marker_options profd_options FIELDS(PROFD_FIELD_PARAMETER_))                  \
    {                                                                                              \
        size_t profd_bytes = 0;                                                                    \
        FIELDS(PROFD_FIELD_MEASURE_)                                                               \
        unsigned char *profd_out = profd_marker_open_(profd_site, &profd_options, profd_bytes);    \
        if (profd_out == NULL)                                                                     \
            return;                                                                                \
        FIELDS(PROFD_FIELD_PUT_)                                                                   \
        profd_marker_close_(profd_out);                                                            \
    }                                                                                              \
    struct profd_keys_##NAME

/* The key of a field that is a string (not a UNIQUE_STRING), as a string; a compile-time error if
 * the type has no such field. */
#define PROFD_KEY(NAME, KEY)                                                                       \
    (&(#KEY)[0 * sizeof(char[sizeof(((struct profd_keys_##NAME *)0)->KEY) == 2 ? 1 : -1])])

/* --- Recording --- */

/* PROFD_MARKER_TYPED(TYPE, NAME, CATEGORY, OPTIONS, …) records a marker of type TYPE; the values
 * follow, in the order of the fields. OPTIONS as in profd_markers.h: profd_instant(),
 * profd_since(start) … */
#define PROFD_MARKER_TYPED(TYPE, NAME, CATEGORY, ...)                                              \
    do {                                                                                           \
        if (__builtin_expect(profd_recording & PROFD_RECORDING_MARKERS, 0)) {                      \
            static struct profd_site profd_site_ = { NAME,                                         \
                                                     __func__,                                     \
                                                     __FILE__,                                     \
                                                     __LINE__,                                     \
                                                     (uintptr_t)(CATEGORY),                        \
                                                     0,                                            \
                                                     &profd_type_##TYPE,                           \
                                                     0 };                                          \
            PROFD_STRICT_BEGIN_                                                                    \
            profd_record_##TYPE(&profd_site_, __VA_ARGS__);                                        \
            PROFD_STRICT_END_                                                                      \
        }                                                                                          \
    } while (0)

#endif

/* --- Details of the macros --- */

struct profd_marker_field {
    uint32_t format;
    const char *key;
    const char *label;
};

#define PROFD_FIELD_PARAMETER_(FORMAT, KEY, LABEL) , profd_##FORMAT KEY

enum profd_format {
    PROFD_FORMAT_STRING = 1,
    PROFD_FORMAT_SANITIZED_STRING = 2,
    PROFD_FORMAT_URL = 3,
    PROFD_FORMAT_FILE_PATH = 4,
    PROFD_FORMAT_UNIQUE_STRING = 5,
    PROFD_FORMAT_FLOW_ID = 6,
    PROFD_FORMAT_TERMINATING_FLOW_ID = 7,
    PROFD_FORMAT_INTEGER = 8,
    PROFD_FORMAT_HEXADECIMAL = 9,
    PROFD_FORMAT_BYTES = 10,
    PROFD_FORMAT_DECIMAL = 11,
    PROFD_FORMAT_PERCENTAGE = 12,
    PROFD_FORMAT_DURATION = 13,
    PROFD_FORMAT_SECONDS = 14,
    PROFD_FORMAT_MILLISECONDS = 15,
    PROFD_FORMAT_MICROSECONDS = 16,
    PROFD_FORMAT_NANOSECONDS = 17,
    PROFD_FORMAT_TIME = 18,
    PROFD_FORMAT_PID = 19,
    PROFD_FORMAT_TID = 20
};

#ifndef PROFD_DISABLED

#include "profd_marker_checks.h"

/* Returns room in the thread's chunk for a payload of at most PAYLOAD_BYTES, or NULL if nothing is
 * to be recorded. What was opened must be closed at once, with the end of what was written. */
unsigned char *profd_marker_open_plain_(struct profd_site *site, uint32_t phase, uint64_t start,
                                        size_t payload_bytes);
unsigned char *profd_marker_open_full_(struct profd_site *site,
                                       const struct profd_marker_options *options,
                                       size_t payload_bytes);
void profd_marker_close_(unsigned char *end);

static inline unsigned char *profd_marker_open_(struct profd_site *site,
                                                const struct profd_marker_options *options,
                                                size_t payload_bytes)
{
    if (options->is_plain)
        return profd_marker_open_plain_(site, options->phase, options->start, payload_bytes);
    return profd_marker_open_full_(site, options, payload_bytes);
}

/* Longer strings are cut. */
enum { PROFD_TEXT_BYTES_ = 16 * 1024, PROFD_NUMBER_BYTES_ = 10 };

/* The length of a string that is longer than PROFD_TEXT_BYTES_: cut, and counted. */
size_t profd_text_cut_(void);

static inline size_t profd_text_length_(const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    return __builtin_expect(length > PROFD_TEXT_BYTES_, 0) ? profd_text_cut_() : length;
}

static inline unsigned char *profd_put_unsigned_(unsigned char *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *out++ = (unsigned char)value;
    return out;
}

static inline unsigned char *profd_put_signed_(unsigned char *out, int64_t value)
{
    return profd_put_unsigned_(out, ((uint64_t)value << 1) ^ -(uint64_t)(value < 0));
}

static inline unsigned char *profd_put_text_(unsigned char *out, const char *text, size_t length)
{
    if (text == NULL)
        return profd_put_unsigned_(out, 0);
    out = profd_put_unsigned_(out, length + 1);
    memcpy(out, text, length);
    return out + length;
}

static inline unsigned char *profd_put_real_(unsigned char *out, double value)
{
    memcpy(out, &value, sizeof(value));
    return out + sizeof(value);
}

static inline unsigned char *profd_put_flow_(unsigned char *out, struct profd_flow flow)
{
    memcpy(out, &flow.id, sizeof(flow.id));
    return out + sizeof(flow.id);
}

/* Two bytes: a string. */
#define PROFD_FIELD_KEY_(FORMAT, KEY, LABEL)                                                       \
    char KEY[PROFD_IS_TEXT_(PROFD_FORMAT_##FORMAT) ? 2 : 1];
#define PROFD_FIELD_ENTRY_(FORMAT, KEY, LABEL)   { PROFD_FORMAT_##FORMAT, #KEY, LABEL },
#define PROFD_FIELD_MEASURE_(FORMAT, KEY, LABEL) PROFD_MEASURE_##FORMAT##_(KEY)
#define PROFD_FIELD_PUT_(FORMAT, KEY, LABEL)     profd_out = PROFD_PUT_##FORMAT##_(KEY);

#define PROFD_MEASURE_TEXT_(KEY)                                                                   \
    size_t profd_length_##KEY = profd_text_length_(KEY);                                           \
    profd_bytes += PROFD_NUMBER_BYTES_ + profd_length_##KEY;
#define PROFD_MEASURE_NUMBER_(KEY)              profd_bytes += PROFD_NUMBER_BYTES_;
#define PROFD_MEASURE_STRING_(KEY)              PROFD_MEASURE_TEXT_(KEY)
#define PROFD_MEASURE_SANITIZED_STRING_(KEY)    PROFD_MEASURE_TEXT_(KEY)
#define PROFD_MEASURE_URL_(KEY)                 PROFD_MEASURE_TEXT_(KEY)
#define PROFD_MEASURE_FILE_PATH_(KEY)           PROFD_MEASURE_TEXT_(KEY)
#define PROFD_MEASURE_UNIQUE_STRING_(KEY)       PROFD_MEASURE_TEXT_(KEY)
#define PROFD_MEASURE_FLOW_ID_(KEY)             PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_TERMINATING_FLOW_ID_(KEY) PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_INTEGER_(KEY)             PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_HEXADECIMAL_(KEY)         PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_BYTES_(KEY)               PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_DECIMAL_(KEY)             PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_PERCENTAGE_(KEY)          PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_DURATION_(KEY)            PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_SECONDS_(KEY)             PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_MILLISECONDS_(KEY)        PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_MICROSECONDS_(KEY)        PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_NANOSECONDS_(KEY)         PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_TIME_(KEY)                PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_PID_(KEY)                 PROFD_MEASURE_NUMBER_(KEY)
#define PROFD_MEASURE_TID_(KEY)                 PROFD_MEASURE_NUMBER_(KEY)

#define PROFD_PUT_TEXT_(KEY)                profd_put_text_(profd_out, KEY, profd_length_##KEY)
#define PROFD_PUT_STRING_(KEY)              PROFD_PUT_TEXT_(KEY)
#define PROFD_PUT_SANITIZED_STRING_(KEY)    PROFD_PUT_TEXT_(KEY)
#define PROFD_PUT_URL_(KEY)                 PROFD_PUT_TEXT_(KEY)
#define PROFD_PUT_FILE_PATH_(KEY)           PROFD_PUT_TEXT_(KEY)
#define PROFD_PUT_UNIQUE_STRING_(KEY)       PROFD_PUT_TEXT_(KEY)
#define PROFD_PUT_FLOW_ID_(KEY)             profd_put_flow_(profd_out, KEY)
#define PROFD_PUT_TERMINATING_FLOW_ID_(KEY) profd_put_flow_(profd_out, KEY)
#define PROFD_PUT_INTEGER_(KEY)             profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_HEXADECIMAL_(KEY)         profd_put_unsigned_(profd_out, KEY)
#define PROFD_PUT_BYTES_(KEY)               profd_put_unsigned_(profd_out, KEY)
#define PROFD_PUT_DECIMAL_(KEY)             profd_put_real_(profd_out, KEY)
#define PROFD_PUT_PERCENTAGE_(KEY)          profd_put_real_(profd_out, KEY)
#define PROFD_PUT_DURATION_(KEY)            profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_SECONDS_(KEY)             profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_MILLISECONDS_(KEY)        profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_MICROSECONDS_(KEY)        profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_NANOSECONDS_(KEY)         profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_TIME_(KEY)                profd_put_unsigned_(profd_out, KEY)
#define PROFD_PUT_PID_(KEY)                 profd_put_signed_(profd_out, KEY)
#define PROFD_PUT_TID_(KEY)                 profd_put_signed_(profd_out, KEY)

#endif

/* Around a declaration: fields that are not given are zero. */
#define PROFD_QUIET_BEGIN_                                                                         \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")                \
        _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                         \
            PROFD_QUIET_INITIALIZERS_
#if defined(__cplusplus) && !defined(__clang__) && __GNUC__ >= 12
#define PROFD_QUIET_INITIALIZERS_ _Pragma("GCC diagnostic ignored \"-Wc++20-extensions\"")
#else
#define PROFD_QUIET_INITIALIZERS_
#endif
#define PROFD_QUIET_END_ _Pragma("GCC diagnostic pop")

/* Around the values: what C and C++ convert silently is an error here. */
#ifdef __cplusplus
#define PROFD_STRICT_BEGIN_                                                                        \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wfloat-conversion\"")
#else
#define PROFD_STRICT_BEGIN_                                                                        \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wfloat-conversion\"")          \
        _Pragma("GCC diagnostic error \"-Wint-conversion\"")                                       \
            _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")
#endif
#define PROFD_STRICT_END_ _Pragma("GCC diagnostic pop")

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
