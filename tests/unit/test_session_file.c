#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/session_file.h"
#include "tests/unit/run_suite.h"

static struct session session, back;
static char folder[64], socket_path[96], file_path[128];

static void set_up(void)
{
    session = (struct session){
        .state = SESSION_ACTIVE,
        .generation = 0xFFFFFFFE,
        .start_ns = UINT64_C(0x1234567890ABCDEF),
        .end_ns = 77,
        .restart_count = 3,
        .unseen_count = 9,
        .settings = { .interval_ns = 500000,
                      .memory_limit_bytes = UINT64_C(1) << 33,
                      .features = 1,
                      .clock = SAMPLING_CLOCK_PERF,
                      .thread_filters = "main,\"odd\" \n name" },
    };
    strcpy(folder, "/tmp/profd-unit.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(socket_path, sizeof(socket_path), "%s/s", folder);
    snprintf(file_path, sizeof(file_path), "%s/s.session", folder);
}

static void tear_down(void)
{
    session_file_remove(socket_path);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* The session that comes back from the document, with NEEDLE replaced (NULL: nothing). */
static int parse_with(const char *needle, const char *replacement)
{
    cJSON *document = session_document_make(&session);
    char *text = cJSON_PrintUnformatted(document);
    char changed[2048];

    cJSON_Delete(document);
    ck_assert_ptr_nonnull(text);
    snprintf(changed, sizeof(changed), "%s", text);
    if (needle != NULL) {
        const char *at = strstr(text, needle);
        ck_assert_ptr_nonnull(at);
        snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, replacement,
                 at + strlen(needle));
    }
    free(text);
    document = cJSON_Parse(changed);
    int error = session_document_read(document, &back);
    cJSON_Delete(document);
    return error;
}

/* Reads the file after it was made to hold TEXT. */
static int read_file_of(const char *text)
{
    FILE *file = fopen(file_path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return session_file_read(socket_path, &back);
}

START_TEST(a_session_comes_back_as_it_was)
{
    ck_assert_int_eq(parse_with(NULL, NULL), 0);
    ck_assert_int_eq(back.state, SESSION_ACTIVE);
    ck_assert_uint_eq(back.generation, session.generation);
    ck_assert_uint_eq(back.start_ns, session.start_ns);
    ck_assert_uint_eq(back.end_ns, session.end_ns);
    ck_assert_uint_eq(back.restart_count, 3);
    ck_assert_uint_eq(back.unseen_count, 9);
    ck_assert_uint_eq(back.settings.interval_ns, session.settings.interval_ns);
    ck_assert_uint_eq(back.settings.memory_limit_bytes, session.settings.memory_limit_bytes);
    ck_assert_uint_eq(back.settings.features, session.settings.features);
    ck_assert_int_eq(back.settings.clock, SAMPLING_CLOCK_PERF);
    ck_assert_str_eq(back.settings.thread_filters, session.settings.thread_filters);
}
END_TEST

static void put_two_parts(void)
{
    const struct session_owner program = { SESSION_OWNER_PROGRAM, 4242 };
    struct session_settings coarse = session.settings;

    coarse.interval_ns = 52000000;
    session.revision = 12;
    session_parts_add(&session.parts, &session_owner_always_on, &coarse, 11);
    session_parts_add(&session.parts, &program, &session.settings, 12);
}

START_TEST(whose_it_is_comes_back)
{
    put_two_parts();
    ck_assert_int_eq(parse_with(NULL, NULL), 0);
    ck_assert_uint_eq(back.revision, 12);
    ck_assert_uint_eq(back.parts.count, 2);
    ck_assert_int_eq(back.parts.items[0].owner.kind, SESSION_OWNER_PROFD);
    ck_assert_uint_eq(back.parts.items[0].settings.interval_ns, 52000000);
    ck_assert_int_eq(back.parts.items[1].owner.pid, 4242);
    ck_assert_uint_eq(back.parts.items[1].since_ns, 12);
}
END_TEST

START_TEST(a_session_from_before_there_were_two_is_the_users)
{
    ck_assert_int_eq(parse_with(",\"parts\":[]", ""), 0);
    ck_assert_uint_eq(back.parts.count, 1);
    ck_assert_int_eq(back.parts.items[0].owner.kind, SESSION_OWNER_USER);
    ck_assert_uint_eq(back.parts.items[0].settings.interval_ns, 500000);
    ck_assert_int_eq(parse_with("\"revision\":\"0\",", ""), 0);
    ck_assert_uint_eq(back.revision, 0);
}
END_TEST

START_TEST(damage_of_parts_is_noticed)
{
    static const char *const cases[][2] = {
        { "\"program\"", "\"programme\"" },  { "\"program\"", "\"profd\"" },
        { "\"4242\"", "\"4294967296\"" },    { "\"52000000\"", "\"0\"" },
        { "\"sinceNs\":\"12\"", "\"x\":1" },
    };

    put_two_parts();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        session.parts.items[1].owner.pid = i == 1 ? 0 : 4242;
        ck_assert_int_eq(parse_with(cases[i][0], cases[i][1]), -EPROTO);
    }
}
END_TEST

START_TEST(a_session_from_before_there_were_clocks_has_auto)
{
    ck_assert_int_eq(parse_with("\"clock\":\"perf\",", ""), 0);
    ck_assert_int_eq(back.settings.clock, SAMPLING_CLOCK_AUTO);
}
END_TEST

START_TEST(what_was_under_way_is_over)
{
    static const struct {
        enum session_state before, paused_before, after;
    } cases[] = {
        { SESSION_IDLE, SESSION_IDLE, SESSION_IDLE },
        { SESSION_STARTING, SESSION_IDLE, SESSION_ACTIVE },
        { SESSION_PAUSED, SESSION_IDLE, SESSION_PAUSED },
        { SESSION_GATHERING, SESSION_ACTIVE, SESSION_ACTIVE },
        { SESSION_GATHERING, SESSION_PAUSED, SESSION_PAUSED },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        session.state = cases[i].before;
        session.before_gathering = cases[i].paused_before;
        ck_assert_int_eq(parse_with(NULL, NULL), 0);
        ck_assert_int_eq(back.state, cases[i].after);
    }
}
END_TEST

START_TEST(another_boot_has_no_session)
{
    ck_assert_int_eq(read_file_of("{\"boot\":\"that one\"}"), -ENOENT);
}
END_TEST

START_TEST(a_damaged_file_is_noticed)
{
    ck_assert_int_eq(read_file_of("{\"boot\":7}"), -EPROTO);
    ck_assert_int_eq(read_file_of("{\"boot\":\"that"), -EPROTO);
    ck_assert_int_eq(read_file_of(""), -EPROTO);
}
END_TEST

START_TEST(damage_is_noticed)
{
    static const char *const cases[][2] = {
        { "\"4294967294\"", "\"4294967296\"" }, /* a generation of 33 bits */
        { "\"4294967294\"", "\"0\"" },
        { "\"4294967294\"", "4294967294" },
        { "\"4294967294\"", "\"12x\"" },
        { "\"4294967294\"", "\"-1\"" },
        { "\"500000\"", "\"0\"" },
        { "\"500000\"", "\"9999\"" },
        { "\"500000\"", "\"99999999999999999999999\"" },
        { "\"threads\"", "\"thread\"" },
        { "\"perf\"", "\"pref\"" },
        { "\"perf\"", "2" },
        { "\"perf\"", "null" },
        { "\"features\":\"1\"", "\"features\":\"18446744073709551615\"" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ck_assert_int_eq(parse_with(cases[i][0], cases[i][1]), -EPROTO);
}
END_TEST

START_TEST(the_file_is_ours_alone_and_replaced_whole)
{
    struct stat status;

    ck_assert_int_eq(session_file_read(socket_path, &back), -ENOENT);
    ck_assert_int_eq(session_file_write(socket_path, &session), 0);
    session.generation = 5;
    ck_assert_int_eq(session_file_write(socket_path, &session), 0);
    ck_assert_int_eq(stat(file_path, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0600);
    ck_assert_int_eq(session_file_read(socket_path, &back), 0);
    ck_assert_uint_eq(back.generation, 5);
}
END_TEST

START_TEST(a_link_in_its_place_is_not_followed)
{
    ck_assert_int_eq(symlink("/etc/passwd", file_path), 0);
    ck_assert_int_eq(session_file_read(socket_path, &back), -ELOOP);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.session_file");
    TCase *document = tcase_create("document");
    tcase_add_checked_fixture(document, set_up, tear_down);
    tcase_add_test(document, a_session_comes_back_as_it_was);
    tcase_add_test(document, whose_it_is_comes_back);
    tcase_add_test(document, a_session_from_before_there_were_two_is_the_users);
    tcase_add_test(document, damage_of_parts_is_noticed);
    tcase_add_test(document, a_session_from_before_there_were_clocks_has_auto);
    tcase_add_test(document, what_was_under_way_is_over);
    tcase_add_test(document, damage_is_noticed);
    suite_add_tcase(suite, document);
    TCase *file = tcase_create("file");
    tcase_add_checked_fixture(file, set_up, tear_down);
    tcase_add_test(file, another_boot_has_no_session);
    tcase_add_test(file, a_damaged_file_is_noticed);
    tcase_add_test(file, the_file_is_ours_alone_and_replaced_whole);
    tcase_add_test(file, a_link_in_its_place_is_not_followed);
    suite_add_tcase(suite, file);
    return run_suite(suite);
}
