/* profctl.push: addresses of servers, labels, and what servers say. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/push_url.h"
#include "profctl/push/push_answer.h"
#include "profctl/push/push_labels.h"
#include "profctl/push/push_utf8.h"
#include "tests/unit/run_suite.h"

static struct push_url url;
static char problem[PUSH_PROBLEM_BYTES];

static void expect_url(const char *text, enum push_kind kind, const char *address)
{
    ck_assert_int_eq(push_url_parse(text, &url, problem), 0);
    ck_assert_int_eq(url.kind, kind);
    ck_assert_str_eq(url.address, address);
}

START_TEST(an_address_has_its_usual_port_and_path)
{
    expect_url("pyroscope+http://db", PUSH_PYROSCOPE, "http://db:4040/push.v1.PusherService/Push");
    expect_url("parca+http://db", PUSH_PARCA,
               "http://db:7070/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw");
    expect_url("otlp+http://db", PUSH_OTLP, "http://db:4318/v1development/profiles");
    expect_url("otlp+https://db", PUSH_OTLP, "https://db:443/v1development/profiles");
    ck_assert_str_eq(url.server, "db:443");
    ck_assert(url.is_secure);
    expect_url("otlp+http://db?token_file=/t", PUSH_OTLP, "http://db:4318/v1development/profiles");
    ck_assert(!url.is_secure);
}
END_TEST

START_TEST(an_address_may_have_port_prefix_and_files)
{
    expect_url("otlp+https://[::1]:99/a/b/?token_file=/t/k@x&ca_file=/c&tenant=us", PUSH_OTLP,
               "https://[::1]:99/a/b/v1development/profiles");
    ck_assert_str_eq(url.token_file, "/t/k@x");
    ck_assert_str_eq(url.ca_file, "/c");
    ck_assert_str_eq(url.tenant, "us");
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const bad[] = {
        "",
        "clickhouse://h/d",
        "pyroscope://h",
        "otlp+ftp://h",
        "otlp+http://",
        "otlp+http:///x",
        "otlp+http://h:0",
        "otlp+http://h:99999",
        "otlp+http://h:x",
        "otlp+http://h/a b",
        "otlp+http://h/\r\nX: y",
        "otlp+http://h?colour=red",
        "otlp+http://h?token_file=",
        "otlp+http://h?tenant=a\nb",
        "otlp+http://h?ca_file=/c",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        problem[0] = '\0';
        ck_assert_msg(push_url_parse(bad[i], &url, problem) == -EINVAL, "%s", bad[i]);
        ck_assert_int_ne(problem[0], '\0');
    }
    ck_assert(!push_url_is_one("clickhouse://h/d"));
    ck_assert(push_url_is_one("parca+https://h"));
}
END_TEST

START_TEST(an_address_is_never_cut)
{
    char text[2 * PUSH_ADDRESS_BYTES] = "otlp+http://h/";

    memset(text + strlen(text), 'a', PUSH_ADDRESS_BYTES);
    ck_assert_int_eq(push_url_parse(text, &url, problem), -EINVAL);
}
END_TEST

/* --- Labels --- */

static struct push_text text_of(const char *text)
{
    return (struct push_text){ text, strlen(text) };
}

START_TEST(labels_have_names_that_servers_take)
{
    struct push_source source = { .labels = 5 };
    struct push_labels labels;

    for (int i = 0; i < PUSH_FIELDS; i++)
        source.fields[i] = text_of("");
    source.fields[PUSH_SERVICE] = text_of("web");
    source.keys[0] = text_of("9.a-b");
    source.values[0] = text_of("x");
    source.keys[1] = text_of("service_name"); /* instead of "web" */
    source.values[1] = text_of("y");
    source.keys[2] = text_of("empty");
    source.values[2] = text_of("");
    source.keys[3] = text_of("_9_a_b"); /* as well, by now */
    source.values[3] = text_of("z\xff");
    source.keys[4] = text_of("__name__"); /* not to be had */
    source.values[4] = text_of("memory");
    push_labels_make(&labels, &source, "process_cpu");
    ck_assert_uint_eq(labels.count, 3);
    ck_assert_str_eq(labels.list[0]->name, "__name__");
    ck_assert_str_eq(labels.list[0]->value, "process_cpu");
    ck_assert_str_eq(labels.list[1]->name, "service_name");
    ck_assert_str_eq(labels.list[1]->value, "y");
    ck_assert_str_eq(labels.list[2]->name, "_9_a_b");
    ck_assert_str_eq(labels.list[2]->value, "z?");
}
END_TEST

START_TEST(texts_are_cut_between_characters)
{
    char out[5];

    push_utf8_copy(out, sizeof(out), "ab\xc3\xa9\xc3\xa9", 6);
    ck_assert_str_eq(out, "ab\xc3\xa9");
    push_utf8_copy(out, sizeof(out), "", 0);
    ck_assert_str_eq(out, "");
}
END_TEST

/* --- Answers --- */

static enum http_outcome outcome_of(const char *body, size_t length, long status)
{
    struct http_answer answer = { .outcome = HTTP_DONE };

    push_answer_of_grpc(body, length, status, &answer);
    ck_assert_int_eq(answer.outcome == HTTP_DONE, answer.text[0] == '\0');
    return answer.outcome;
}

#define FRAMES(text) text, sizeof(text) - 1

START_TEST(parcas_answers_stand_behind_its_messages)
{
    ck_assert_int_eq(outcome_of(FRAMES("\0\0\0\0\0\x80\0\0\0\020grpc-status: 0\r\n"), -1),
                     HTTP_DONE);
    ck_assert_int_eq(outcome_of(FRAMES("\x80\0\0\0\020grpc-status: 3\r\n"), -1), HTTP_REFUSED);
    ck_assert_int_eq(outcome_of(FRAMES("\x80\0\0\0\021grpc-status: 16\r\n"), -1), HTTP_AWAY);
    ck_assert_int_eq(outcome_of(FRAMES("\x80\0\0\0\021grpc-status: 14\r\n"), -1), HTTP_UNSURE);
    ck_assert_int_eq(outcome_of("", 0, 0), HTTP_DONE); /* in a header */
    ck_assert_int_eq(outcome_of("", 0, 8), HTTP_AWAY);
    ck_assert_int_eq(outcome_of("", 0, 13), HTTP_FAILED);
}
END_TEST

START_TEST(what_is_no_answer_of_parcas_says_nothing)
{
    ck_assert_int_eq(outcome_of("", 0, -1), HTTP_UNSURE);
    ck_assert_int_eq(outcome_of(FRAMES("<html>"), -1), HTTP_UNSURE);
    ck_assert_int_eq(outcome_of(FRAMES("\x80\xff\xff\xff\xffgrpc"), -1), HTTP_UNSURE);
    ck_assert_int_eq(outcome_of(FRAMES("\x80\0\0\0\1x"), -1), HTTP_UNSURE);
}
END_TEST

START_TEST(otlp_tells_how_many_profiles_it_dropped)
{
    static const char partial[] = "\x0a\x09\x08\x03\x12\x05too o";
    char text[HTTP_TEXT_BYTES];

    ck_assert_int_eq(push_answer_dropped(partial, sizeof(partial) - 1, text), 3);
    ck_assert_str_eq(text, "too o");
    ck_assert_int_eq(push_answer_dropped("", 0, text), 0);
    ck_assert_int_eq(push_answer_dropped("\x0a\x07\x12\x05too o", 9, text), 0);
    ck_assert_str_eq(text, "too o");
    ck_assert_int_eq(push_answer_dropped(partial, sizeof(partial) - 2, text), -EPROTO);
    ck_assert_int_eq(push_answer_dropped("\xff\xff", 2, text), -EPROTO);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(
        push_answer_dropped("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 13, text),
        0); /* -1 */
}
END_TEST

static enum http_outcome judge(enum push_kind kind, const char *type, const char *body,
                               size_t length)
{
    struct http_answer answer = { .outcome = HTTP_DONE };

    push_answer_judge(kind, "db:1", type, body, length, &answer);
    ck_assert_int_eq(answer.outcome == HTTP_DONE, answer.text[0] == '\0');
    return answer.outcome;
}

START_TEST(a_page_of_somebody_else_is_no_answer)
{
    ck_assert_int_eq(judge(PUSH_PYROSCOPE, "", FRAMES("")), HTTP_DONE);
    ck_assert_int_eq(judge(PUSH_PYROSCOPE, "application/proto", FRAMES("\x08\x01")), HTTP_DONE);
    ck_assert_int_eq(judge(PUSH_PYROSCOPE, "text/html; charset=utf-8", FRAMES("<html>")),
                     HTTP_AWAY);
    ck_assert_int_eq(judge(PUSH_PYROSCOPE, "text/html", FRAMES("")), HTTP_AWAY);
    ck_assert_int_eq(judge(PUSH_PYROSCOPE, "application/json", FRAMES("{\"status\":\"ok\"}")),
                     HTTP_AWAY);
    ck_assert_int_eq(judge(PUSH_OTLP, "", FRAMES("\x0a\x02\x08\x03")), HTTP_DONE);
    ck_assert_int_eq(judge(PUSH_OTLP, "Application/X-Protobuf", FRAMES("\x0a\x02\x08\x03")),
                     HTTP_DONE);
    ck_assert_int_eq(judge(PUSH_OTLP, "", FRAMES("<html>")), HTTP_AWAY);
    ck_assert_int_eq(judge(PUSH_OTLP, "text/html", FRAMES("<html>")), HTTP_AWAY);
}
END_TEST

START_TEST(a_status_tells_whether_to_come_again)
{
    ck_assert_int_eq(http_outcome_of_status(200), HTTP_DONE);
    ck_assert_int_eq(http_outcome_of_status(202), HTTP_DONE);
    ck_assert_int_eq(http_outcome_of_status(400), HTTP_REFUSED);
    ck_assert_int_eq(http_outcome_of_status(413), HTTP_REFUSED);
    ck_assert_int_eq(http_outcome_of_status(307), HTTP_AWAY);
    ck_assert_int_eq(http_outcome_of_status(401), HTTP_AWAY);
    ck_assert_int_eq(http_outcome_of_status(429), HTTP_AWAY);
    ck_assert_int_eq(http_outcome_of_status(500), HTTP_FAILED);
    ck_assert_int_eq(http_outcome_of_status(502), HTTP_UNSURE);
    ck_assert_int_eq(http_outcome_of_status(503), HTTP_UNSURE);
    ck_assert_int_eq(http_outcome_of_status(504), HTTP_UNSURE);
    ck_assert_int_eq(http_outcome_of_status(507), HTTP_FAILED);
}
END_TEST

/* OTLP/HTTP names those that may be tried again, and forbids it for others. */
START_TEST(otlp_tries_again_what_it_may)
{
    static const struct {
        long status;
        enum http_outcome outcome;
    } answers[] = { { 302, HTTP_AWAY },    { 400, HTTP_REFUSED }, { 401, HTTP_REFUSED },
                    { 404, HTTP_REFUSED }, { 408, HTTP_REFUSED }, { 429, HTTP_AWAY },
                    { 500, HTTP_REFUSED }, { 501, HTTP_REFUSED }, { 502, HTTP_UNSURE },
                    { 503, HTTP_UNSURE },  { 504, HTTP_UNSURE },  { 507, HTTP_REFUSED } };

    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        ck_assert_int_eq(push_answer_otlp_outcome(answers[i].status), answers[i].outcome);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("push_url");
    TCase *all = tcase_create("all");

    tcase_add_test(all, an_address_has_its_usual_port_and_path);
    tcase_add_test(all, an_address_may_have_port_prefix_and_files);
    tcase_add_test(all, what_is_no_address_is_refused);
    tcase_add_test(all, an_address_is_never_cut);
    tcase_add_test(all, labels_have_names_that_servers_take);
    tcase_add_test(all, texts_are_cut_between_characters);
    tcase_add_test(all, parcas_answers_stand_behind_its_messages);
    tcase_add_test(all, what_is_no_answer_of_parcas_says_nothing);
    tcase_add_test(all, otlp_tells_how_many_profiles_it_dropped);
    tcase_add_test(all, a_page_of_somebody_else_is_no_answer);
    tcase_add_test(all, a_status_tells_whether_to_come_again);
    tcase_add_test(all, otlp_tries_again_what_it_may);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
