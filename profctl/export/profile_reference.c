#include "profctl/export/profile_reference.h"

#include <errno.h>

static int read_member(struct json_reader *reader, int64_t *reference_ns)
{
    if (!json_reader_is(reader, "startTimeAsClockMonotonicNanosecondsSinceBoot"))
        return json_reader_skip(reader);
    int token = json_reader_next(reader);
    if (token != JSON_TOKEN_NUMBER)
        return token < 0 ? token : -EPROTO;
    return json_reader_i64(reader, reference_ns) < 0 ? -EPROTO : 0;
}

static int read_meta(struct json_reader *reader, int64_t *reference_ns)
{
    int token = json_reader_next(reader), error = 0;

    if (token != JSON_TOKEN_START_OBJECT)
        return token < 0 ? token : -EPROTO;
    while (error == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY)
        error = read_member(reader, reference_ns);
    return error < 0 ? error : token < 0 ? token : 0;
}

int profile_reference_read(struct json_reader *reader, int64_t *reference_ns)
{
    int token = json_reader_next(reader), error = 0;

    *reference_ns = 0;
    if (token != JSON_TOKEN_START_OBJECT)
        return token < 0 ? token : -EPROTO;
    while (error == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY)
        error = json_reader_is(reader, "meta") ? read_meta(reader, reference_ns)
                                               : json_reader_skip(reader);
    if (error == 0 && token < 0)
        error = token;
    return error == 0 && *reference_ns <= 0 ? -EPROTO : error;
}
