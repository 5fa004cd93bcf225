/* daemon.clients.status_document: what `profctl status` is told, as JSON. */
#include <cjson/cJSON.h>

#include "common/features.h"
#include "daemon/clients/status_document.h"
#include "daemon/programs/command.h"
#include "daemon/programs/supervisor.h"
#include "daemon/triggers/triggers.h"
#include "ipc/messages.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/status_scene.h"

enum { CROWD = 600, NAME_BYTES = 300 };

static struct triggers triggers;
static struct supervisor supervisor;
static cJSON *shown;

static void set_up(void)
{
    set_up_scene();
    memset(&triggers, 0, sizeof(triggers));
    memset(&supervisor, 0, sizeof(supervisor));
    shown = NULL;
}

static void tear_down(void)
{
    cJSON_Delete(shown);
    tear_down_scene();
}

/* Returns how many bytes that takes. */
static size_t show(void)
{
    const struct status_view view = {
        .session = &session,
        .memory = &memory,
        .children = &table,
        .exits = &exits,
        .census = &census,
        .triggers = &triggers,
        .supervisor = &supervisor,
        .socket_path = scene_socket,
        .start_ns = uv_hrtime(),
    };
    char *text = status_document_make(&view);

    ck_assert_ptr_nonnull(text);
    size_t bytes = strlen(text);
    shown = cJSON_Parse(text);
    ck_assert_ptr_nonnull(shown);
    free(text);
    return bytes;
}

/* The member at PATH, as in "session.state"; NULL: none. */
static const cJSON *find(const char *path)
{
    const cJSON *at = shown;
    char names[128];

    snprintf(names, sizeof(names), "%s", path);
    for (char *name = strtok(names, "."); name != NULL && at != NULL; name = strtok(NULL, "."))
        at = cJSON_GetObjectItemCaseSensitive(at, name);
    return at;
}

static double number_at(const char *path)
{
    ck_assert_msg(cJSON_IsNumber(find(path)), "%s is not a number", path);
    return find(path)->valuedouble;
}

static const char *text_at(const char *path)
{
    ck_assert_msg(cJSON_IsString(find(path)), "%s is not a text", path);
    return find(path)->valuestring;
}

static void begin_session(void)
{
    const struct session_settings settings = { .interval_ns = 2000000,
                                               .memory_limit_bytes = SCENE_LIMIT_BYTES,
                                               .features = FEATURE_STACKS | FEATURE_GROUPS,
                                               .thread_filters = "main" };
    const char *refusal;

    ck_assert_int_eq(session_start(&session, &session_owner_user, &settings, uv_hrtime(), &refusal),
                     0);
}

START_TEST(without_a_session_it_tells_of_profd_alone)
{
    show();
    ck_assert_str_eq(text_at("version"), PROFD_VERSION);
    ck_assert_double_eq(number_at("pid"), getpid());
    ck_assert_str_eq(text_at("socket"), scene_socket);
    ck_assert_double_eq(number_at("census_lost"), SCENE_LOST);
    ck_assert_str_eq(text_at("session.state"), "idle");
    ck_assert_ptr_null(find("session.elapsed_ms"));
    ck_assert_ptr_null(find("processes.clocks"));
    ck_assert_ptr_null(find("minute_cost"));
    ck_assert_ptr_null(find("triggers"));
    ck_assert_double_eq(number_at("memory.limit_bytes"), SCENE_LIMIT_BYTES);
    ck_assert_double_eq(number_at("memory.leased_bytes"), SCENE_SPARE_BYTES);
    ck_assert_int_eq(cJSON_GetArraySize(find("commands")), 0);
}
END_TEST

START_TEST(a_session_is_told_with_whose_it_is)
{
    begin_session();
    show();
    ck_assert_str_eq(text_at("session.state"), "starting");
    ck_assert_double_eq(number_at("session.interval_ns"), 2000000);
    ck_assert_str_eq(text_at("session.threads"), "main");
    ck_assert_int_eq(cJSON_GetArraySize(find("session.features")), 2);
    ck_assert_str_eq(cJSON_GetArrayItem(find("session.features"), 0)->valuestring, "stacks");
    ck_assert_int_eq(cJSON_GetArraySize(find("session.sessions")), 1);
    const cJSON *part = cJSON_GetArrayItem(find("session.sessions"), 0);
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(part, "owner")->valuestring, "user");
    ck_assert_int_eq(cJSON_GetArraySize(find("processes.clocks")), 0);
    ck_assert_ptr_nonnull(find("minute_cost"));
}
END_TEST

START_TEST(processes_are_counted_and_the_living_come_first)
{
    child_end(&table, add_child(10, "/bin/gone"), VERDICT_EXITED, 0, 5);
    child_detach(add_child(11, "/bin/alone"));
    add_child(12, "/bin/there");
    show();
    ck_assert_double_eq(number_at("processes.connected"), 1);
    ck_assert_double_eq(number_at("processes.detached"), 1);
    ck_assert_double_eq(number_at("processes.ended"), 1);
    ck_assert_double_eq(number_at("processes.not_listed"), 0);
    const cJSON *last = cJSON_GetArrayItem(find("processes.list"), 2);
    ck_assert_double_eq(cJSON_GetObjectItemCaseSensitive(last, "pid")->valuedouble, 10);
}
END_TEST

START_TEST(a_crowd_fits_a_message_and_is_counted_to_the_end)
{
    char name[NAME_BYTES + 1];

    memset(name, '\1', NAME_BYTES); /* six bytes each in JSON */
    name[NAME_BYTES] = '\0';
    for (pid_t pid = 1; pid <= CROWD; pid++)
        child_end(&table, add_child(pid, name), VERDICT_EXITED, 0, 5);
    add_child(CROWD + 1, "/bin/there");
    ck_assert_uint_le(show(), MESSAGE_MAX_STATUS);
    ck_assert_double_eq(number_at("processes.ended"), CROWD);
    int listed = cJSON_GetArraySize(find("processes.list"));
    ck_assert_int_gt(listed, 1);
    ck_assert_double_eq(number_at("processes.not_listed"), CROWD + 1 - listed);
    const cJSON *first = cJSON_GetArrayItem(find("processes.list"), 0);
    ck_assert_double_eq(cJSON_GetObjectItemCaseSensitive(first, "pid")->valuedouble, CROWD + 1);
}
END_TEST

START_TEST(accounts_of_records_that_expired_are_summed_up)
{
    for (pid_t pid = 10; pid < 12; pid++) {
        struct child *child = add_child(pid, "/bin/gone");
        child->kept = CHILD_KEPT_EXPIRED;
        child->expired = (struct block_account){ .produced_blocks = 4, .dropped_blocks = 4 };
        table.names++; /* as child_set_kept() would count it */
    }
    show();
    ck_assert_double_eq(number_at("account.produced_blocks"), 8);
    ck_assert_double_eq(number_at("account.dropped_blocks"), 8);
}
END_TEST

START_TEST(what_triggers_did_and_which_commands_run_is_told)
{
    struct command first = { .pid = 21, .name = "web" }, second = { .pid = 22, .name = "db" };

    ck_assert_int_eq(trigger_parse("signal", 6, &triggers.set.triggers[0]), 0);
    triggers.set.count = 1;
    triggers.written = 3;
    strcpy(triggers.last_file, "/tmp/a.json");
    first.next = &second;
    supervisor.commands = &first;
    show();
    ck_assert_double_eq(number_at("triggers.written"), 3);
    ck_assert_str_eq(cJSON_GetArrayItem(find("triggers.armed"), 0)->valuestring, "signal");
    ck_assert_str_eq(text_at("triggers.last_file"), "/tmp/a.json");
    ck_assert_int_eq(cJSON_GetArraySize(find("commands")), 2);
    const cJSON *command = cJSON_GetArrayItem(find("commands"), 1);
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(command, "command")->valuestring, "db");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.clients.status_document");
    TCase *all = tcase_create("document");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, without_a_session_it_tells_of_profd_alone);
    tcase_add_test(all, a_session_is_told_with_whose_it_is);
    tcase_add_test(all, processes_are_counted_and_the_living_come_first);
    tcase_add_test(all, a_crowd_fits_a_message_and_is_counted_to_the_end);
    tcase_add_test(all, accounts_of_records_that_expired_are_summed_up);
    tcase_add_test(all, what_triggers_did_and_which_commands_run_is_told);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
