/* What shows that a ClickHouse answered, and that it did what it was asked. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/clickhouse/answer_signs.h"
#include "tests/unit/run_suite.h"

static const char server_header[] = "X-ClickHouse-Server-Display-Name: db\r\n";

static struct http_answer judge(const char *header, const char *body, bool is_to_be_empty)
{
    struct answer_signs signs = { 0 };
    struct http_answer answer = { .outcome = HTTP_DONE };

    answer_signs_take_header(&signs, "HTTP/1.1 200 OK\r\n");
    answer_signs_take_header(&signs, header);
    for (; *body != '\0'; body++)
        answer_signs_take_body(&signs, body, 1);
    answer_signs_judge(&signs, "db:8123", is_to_be_empty, &answer);
    ck_assert_int_eq(answer.outcome == HTTP_DONE, answer.text[0] == '\0');
    return answer;
}

START_TEST(each_version_of_clickhouse_is_known)
{
    ck_assert_int_eq(judge(server_header, "", true).outcome, HTTP_DONE);
    ck_assert_int_eq(judge("x-clickhouse-summary: {\"written_rows\":\"1\"}\r\n", "", true).outcome,
                     HTTP_DONE);
    ck_assert_int_eq(judge("X-ClickHouse-Query-Id: a\r\n", "17\n", false).outcome, HTTP_DONE);
}
END_TEST

START_TEST(a_page_of_somebody_else_is_no_answer)
{
    const struct http_answer page = judge("Server: portal\r\n", "<html>\nlog in", true);

    ck_assert_int_eq(page.outcome, HTTP_AWAY);
    ck_assert_str_eq(page.text, "db:8123 answers, but not as ClickHouse: <html>");
    ck_assert_int_eq(judge("Server: portal\r\n", "", true).outcome, HTTP_AWAY);
    ck_assert_int_eq(judge("Server: portal\r\n", "1\n", false).outcome, HTTP_AWAY);
}
END_TEST

START_TEST(an_exception_may_come_behind_the_headers)
{
    const struct http_answer late =
        judge(server_header, "1\n2\n\r\nCode: 395. DB::Exception: no\033\nmore", false);

    ck_assert_int_eq(late.outcome, HTTP_FAILED);
    ck_assert_str_eq(late.text, "db:8123 failed after all: Code: 395. DB::Exception: no?");
    ck_assert_int_eq(
        judge(server_header, "Code: 53, e.displayText() = DB::Exception: x", true).outcome,
        HTTP_FAILED);
    ck_assert_int_eq(
        judge(server_header, "Code: 243, e.displayText() = DB::Exception: x", true).outcome,
        HTTP_UNSURE);
}
END_TEST

START_TEST(an_exception_may_be_a_header)
{
    const struct http_answer told = judge("X-ClickHouse-Exception-Code: 53\r\n", "", true);

    ck_assert_int_eq(told.outcome, HTTP_FAILED);
    ck_assert_str_eq(told.text, "db:8123 failed after all, with exception 53");
    ck_assert_int_eq(judge("X-ClickHouse-Exception-Code: 243\r\n", "", true).outcome, HTTP_UNSURE);
}
END_TEST

/* The rows may be there. */
START_TEST(an_insert_is_answered_with_nothing)
{
    ck_assert_int_eq(judge(server_header, "Ok.\n", true).outcome, HTTP_UNSURE);
    ck_assert_int_eq(judge(server_header, "Ok.\n", false).outcome, HTTP_DONE);
}
END_TEST

START_TEST(functions_that_throw_are_no_exceptions)
{
    ck_assert_int_eq(
        judge(server_header, "Code: DB::Exception\nCode: 5\nDB::Exception", false).outcome,
        HTTP_DONE);
}
END_TEST

/* In pieces of any length, as they come. */
START_TEST(the_end_of_a_long_answer_is_seen)
{
    static const char end[] = "Code: 1. DB::Exception: x";
    static char rows[10000];
    struct answer_signs signs = { .is_of_clickhouse = true };
    struct http_answer answer = { .outcome = HTTP_DONE };

    memset(rows, 'a', sizeof(rows));
    for (size_t length = 1; length < sizeof(rows); length *= 3)
        answer_signs_take_body(&signs, rows, length);
    answer_signs_judge(&signs, "db", false, &answer);
    ck_assert_int_eq(answer.outcome, HTTP_DONE);
    answer_signs_take_body(&signs, end, sizeof(end) - 1);
    answer_signs_judge(&signs, "db", false, &answer);
    ck_assert_int_eq(answer.outcome, HTTP_FAILED);
}
END_TEST

/* What comes of an answer with a status of failure, which is OUTCOME by itself. */
static enum http_outcome judge_failure(const char *header, enum http_outcome outcome,
                                       const char *text)
{
    struct answer_signs signs = { 0 };
    struct http_answer answer = { .outcome = outcome };

    strcpy(answer.text, text);
    answer_signs_take_header(&signs, header);
    answer_signs_judge_failure(&signs, &answer);
    ck_assert_ptr_nonnull(strstr(answer.text, text));
    ck_assert_int_eq(signs.is_of_clickhouse || outcome == HTTP_AWAY,
                     strstr(answer.text, "not a ClickHouse") == NULL);
    return answer.outcome;
}

START_TEST(what_a_clickhouse_says_of_a_request_is_about_it)
{
    ck_assert_int_eq(judge_failure(server_header, HTTP_REFUSED, "db answers 400: Code: 62, x"),
                     HTTP_REFUSED);
    ck_assert_int_eq(judge_failure(server_header, HTTP_REFUSED, "db answers 413"), HTTP_REFUSED);
    ck_assert_int_eq(judge_failure(server_header, HTTP_FAILED, "db answers 500: Code: 53, x"),
                     HTTP_FAILED);
    ck_assert_int_eq(judge_failure(server_header, HTTP_FAILED, "db answers 500"), HTTP_FAILED);
    ck_assert_int_eq(judge_failure("X-ClickHouse-Exception-Code: 53\r\n", HTTP_FAILED, "500"),
                     HTTP_FAILED);
}
END_TEST

START_TEST(what_it_says_of_itself_is_not)
{
    static const unsigned codes[] = { 159, 202, 210, 241, 242, 243, 252, 999 };
    char text[64];

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        snprintf(text, sizeof(text), "db answers 500: Code: %u, e.displayText()", codes[i]);
        ck_assert_int_eq(judge_failure(server_header, HTTP_FAILED, text), HTTP_UNSURE);
        snprintf(text, sizeof(text), "X-ClickHouse-Exception-Code: %u\r\n", codes[i]);
        ck_assert_int_eq(judge_failure(text, HTTP_FAILED, "500"), HTTP_UNSURE);
    }
}
END_TEST

START_TEST(a_request_may_be_too_large_for_memory)
{
    ck_assert_int_eq(judge_failure(server_header, HTTP_FAILED,
                                   "Code: 241. DB::Exception: Memory limit (for query) exceeded"),
                     HTTP_FAILED);
    ck_assert_int_eq(judge_failure(server_header, HTTP_FAILED,
                                   "Code: 241. DB::Exception: Query memory limit exceeded"),
                     HTTP_FAILED);
    ck_assert_int_eq(judge_failure(server_header, HTTP_FAILED,
                                   "Code: 241. DB::Exception: Memory limit (total) exceeded"),
                     HTTP_UNSURE);
}
END_TEST

START_TEST(what_somebody_else_refuses_is_not_refused)
{
    ck_assert_int_eq(judge_failure("Server: nginx\r\n", HTTP_REFUSED, "db answers 413: <html>"),
                     HTTP_AWAY);
    ck_assert_int_eq(judge_failure("Server: nginx\r\n", HTTP_FAILED, "db answers 500: <html>"),
                     HTTP_UNSURE);
    ck_assert_int_eq(judge_failure("Server: nginx\r\n", HTTP_AWAY, "db: no connection"), HTTP_AWAY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.answer_signs");
    TCase *tests = tcase_create("signs");

    tcase_add_test(tests, each_version_of_clickhouse_is_known);
    tcase_add_test(tests, a_page_of_somebody_else_is_no_answer);
    tcase_add_test(tests, an_exception_may_come_behind_the_headers);
    tcase_add_test(tests, an_exception_may_be_a_header);
    tcase_add_test(tests, an_insert_is_answered_with_nothing);
    tcase_add_test(tests, functions_that_throw_are_no_exceptions);
    tcase_add_test(tests, the_end_of_a_long_answer_is_seen);
    tcase_add_test(tests, what_a_clickhouse_says_of_a_request_is_about_it);
    tcase_add_test(tests, what_it_says_of_itself_is_not);
    tcase_add_test(tests, a_request_may_be_too_large_for_memory);
    tcase_add_test(tests, what_somebody_else_refuses_is_not_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
