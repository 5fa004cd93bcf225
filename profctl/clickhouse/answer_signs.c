#include "profctl/clickhouse/answer_signs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profctl/clickhouse/exception_codes.h"
#include "profctl/printable.h"

/* --- What arrives --- */

/* Each version has the server's name in a header, from 18.14 on; later ones have others, too, such
 * as X-ClickHouse-Summary and X-ClickHouse-Query-Id. */
void answer_signs_take_header(struct answer_signs *signs, const char *line)
{
    static const char prefix[] = "X-ClickHouse-";
    const char *value;

    signs->is_of_clickhouse |= strncasecmp(line, prefix, strlen(prefix)) == 0;
    if (http_header_is(line, "X-ClickHouse-Exception-Code:", &value))
        snprintf(signs->code, sizeof(signs->code), "%.*s", (int)strcspn(value, " \t\r\n"), value);
}

static void keep_first(struct answer_signs *signs, const char *bytes, size_t count)
{
    size_t room = sizeof(signs->first) - signs->first_length;

    if (count > room)
        count = room;
    memcpy(signs->first + signs->first_length, bytes, count);
    signs->first_length += count;
}

static void keep_last(struct answer_signs *signs, const char *bytes, size_t count)
{
    size_t kept = signs->last_length;

    if (count > sizeof(signs->last)) {
        bytes += count - sizeof(signs->last);
        count = sizeof(signs->last);
    }
    if (kept > sizeof(signs->last) - count)
        kept = sizeof(signs->last) - count;
    memmove(signs->last, signs->last + signs->last_length - kept, kept);
    memcpy(signs->last + kept, bytes, count);
    signs->last_length = kept + count;
}

void answer_signs_take_body(struct answer_signs *signs, const char *bytes, size_t count)
{
    keep_first(signs, bytes, count);
    keep_last(signs, bytes, count);
}

/* --- What it means --- */

static size_t line_length(const char *text, size_t length)
{
    size_t count = 0;

    while (count < length && text[count] != '\n' && text[count] != '\r' && text[count] != '\0')
        count++;
    return count;
}

/* "Code: 243. DB::Exception: …", or as older versions have it, "Code: 243, e.displayText() =
 * DB::Exception: …"; NULL: there is none. */
static const char *find_exception(const struct answer_signs *signs, size_t *length)
{
    static const char code[] = "Code: ", name[] = "DB::Exception";
    const char *end = signs->last + signs->last_length, *place = signs->last;

    while ((place = memmem(place, (size_t)(end - place), code, strlen(code))) != NULL) {
        *length = line_length(place, (size_t)(end - place));
        if (*length > strlen(code) && isdigit((unsigned char)place[strlen(code)]) &&
            memmem(place, *length, name, strlen(name)) != NULL)
            return place;
        place += strlen(code);
    }
    return NULL;
}

static void set_outcome(struct http_answer *answer, enum http_outcome outcome, const char *server,
                        const char *what, const char *said, size_t length)
{
    answer->outcome = outcome;
    snprintf(answer->text, sizeof(answer->text), "%.80s %s%s%.*s", server, what,
             length > 0 ? ": " : "", (int)(length < SIGNS_FIRST_BYTES ? length : SIGNS_FIRST_BYTES),
             said);
    (void)make_printable(answer->text);
}

static unsigned code_of_header(const struct answer_signs *signs)
{
    return (unsigned)strtoul(signs->code, NULL, 10);
}

/* Where the request failed: when it is tried again, it is known that it may have been done in part.
 */
static enum http_outcome outcome_of_exception(unsigned code, const char *text)
{
    return exception_passes(code, text) ? HTTP_UNSURE : HTTP_FAILED;
}

void answer_signs_judge(const struct answer_signs *signs, const char *server, bool is_to_be_empty,
                        struct http_answer *answer)
{
    size_t length, first_length = line_length(signs->first, signs->first_length);
    const char *exception = find_exception(signs, &length);
    char what[64];

    if (!signs->is_of_clickhouse) {
        set_outcome(answer, HTTP_AWAY, server, "answers, but not as ClickHouse", signs->first,
                    first_length);
    } else if (exception != NULL) {
        set_outcome(answer, HTTP_FAILED, server, "failed after all", exception, length);
        answer->outcome = outcome_of_exception(exception_code_read(answer->text), answer->text);
    } else if (signs->code[0] != '\0') {
        snprintf(what, sizeof(what), "failed after all, with exception %s", signs->code);
        set_outcome(answer, HTTP_FAILED, server, what, signs->first, first_length);
        answer->outcome = outcome_of_exception(code_of_header(signs), answer->text);
    } else if (is_to_be_empty && signs->first_length > 0) {
        set_outcome(answer, HTTP_UNSURE, server, "says more than that it took rows", signs->first,
                    first_length);
    }
}

/* What does not come from a ClickHouse is said of a request that it may have seen all the same. */
static void judge_other(struct http_answer *answer)
{
    char said[HTTP_TEXT_BYTES];

    memcpy(said, answer->text, sizeof(said));
    answer->outcome = answer->outcome == HTTP_REFUSED ? HTTP_AWAY : HTTP_UNSURE;
    snprintf(answer->text, sizeof(answer->text), "not a ClickHouse server: %.360s", said);
}

void answer_signs_judge_failure(const struct answer_signs *signs, struct http_answer *answer)
{
    unsigned code =
        signs->code[0] != '\0' ? code_of_header(signs) : exception_code_read(answer->text);

    if (answer->outcome != HTTP_REFUSED && answer->outcome != HTTP_FAILED)
        return;
    if (!signs->is_of_clickhouse)
        judge_other(answer);
    else if (answer->outcome == HTTP_FAILED)
        answer->outcome = outcome_of_exception(code, answer->text);
}
