/* A capture in the scene, from its order to what is in its output. */
#ifndef TESTS_UNIT_CAPTURE_RESULT_H
#define TESTS_UNIT_CAPTURE_RESULT_H

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "tests/unit/capture_scene.h"

static inline struct capture_order order_of_all(void)
{
    return (struct capture_order){ .id = ORDER_ID, .owner = user, .output_fd = dup(output) };
}

static inline void run_to_the_end(void)
{
    while (raised.finished == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(raised.finished, 1);
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
}

static inline void run_capture(const struct capture_order *order)
{
    captures_begin(&captures, order);
    run_to_the_end();
}

static inline void capture_all(void)
{
    const struct capture_order order = order_of_all();

    run_capture(&order);
    ck_assert_int_eq(raised.error, 0);
    ck_assert_str_eq(raised.text, "");
    ck_assert_uint_eq(raised.written, 1);
    ck_assert_uint_eq(raised.done.id, ORDER_ID);
}

/* The output, which has as many bytes as was told; from malloc. */
static inline char *read_bytes(void)
{
    off_t bytes = lseek(output, 0, SEEK_END);
    char *text = malloc((size_t)bytes);

    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq((uint64_t)bytes, raised.done.bytes_written);
    ck_assert_int_eq(pread(output, text, (size_t)bytes, 0), bytes);
    return text;
}

/* The same, which is JSON. */
static inline cJSON *read_output(void)
{
    char *text = read_bytes();
    cJSON *root = cJSON_ParseWithLength(text, raised.done.bytes_written);

    ck_assert_ptr_nonnull(root);
    free(text);
    return root;
}

static inline const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

    ck_assert_ptr_nonnull(text);
    return text;
}

/* There is one process, which WHO told of. */
static inline cJSON *read_only_process(const char *who)
{
    cJSON *root = read_output();
    cJSON *processes = cJSON_GetObjectItem(root, "processes");

    ck_assert_int_eq(cJSON_GetArraySize(processes), 1);
    ck_assert_uint_eq(raised.done.processes, 1);
    cJSON *process = cJSON_DetachItemFromArray(processes, 0);
    cJSON_Delete(root);
    ck_assert_str_eq(text_of(process, "by"), who);
    return process;
}

/* It was read from outside, as VERDICT says, for REASON. */
static inline void expect_salvaged(enum process_verdict verdict, const char *reason)
{
    cJSON *process = read_only_process("worker");

    ck_assert_int_eq(cJSON_GetObjectItem(process, "verdict")->valueint, (int)verdict);
    ck_assert_str_eq(text_of(process, "reason"), reason);
    cJSON_Delete(process);
}

static inline void expect_missing(const char *words)
{
    ck_assert_msg(strstr(raised.missing, words) != NULL, "\"%s\" is not in \"%s\"", words,
                  raised.missing);
}

#endif
