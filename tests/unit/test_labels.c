/* Labels of exported rows: from text, from the machine, and how many different ones pass. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/label_list.h"
#include "common/time_units.h"
#include "profctl/export/label_bounds.h"
#include "profctl/export/process_labels.h"
#include "profctl/export/source_labels.h"
#include "tests/unit/run_suite.h"

static struct label_list list;

static void clear_list(void)
{
    list = (struct label_list){ 0 };
}

static int parse(struct label_list *out, const char *text)
{
    const char *wrong;

    return label_list_parse(out, text, &wrong);
}

START_TEST(the_later_value_stays_and_keys_are_sorted)
{
    ck_assert_uint_eq(label_list_take(&list, "zone=a,service=web,zone=b"), 0);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.labels[0].key, "service");
    ck_assert_str_eq(label_list_get(&list, "zone"), "b");
    ck_assert_ptr_null(label_list_get(&list, "zon"));
}
END_TEST

START_TEST(values_have_any_bytes)
{
    ck_assert_int_eq(parse(&list, "a=x\\,y\\\\\n'\"\xff=,b="), 0);
    ck_assert_str_eq(label_list_get(&list, "a"), "x,y\\\n'\"\xff=");
    ck_assert_str_eq(label_list_get(&list, "b"), "");
}
END_TEST

START_TEST(a_key_that_is_given_twice_is_refused)
{
    const char *text = "a=b,zone=x,a=c,d=e", *wrong;

    ck_assert_int_eq(label_list_parse(&list, text, &wrong), -EEXIST);
    ck_assert_ptr_eq(wrong, strstr(text, "a=c"));
    ck_assert_ptr_null(label_list_get(&list, "d"));
}
END_TEST

START_TEST(what_is_no_label_is_refused)
{
    char long_value[LABEL_VALUE_BYTES + 3] = "a=";

    ck_assert_int_eq(parse(&list, "a"), -EINVAL);
    ck_assert_int_eq(parse(&list, "=a"), -EINVAL);
    ck_assert_int_eq(parse(&list, "a b=c"), -EINVAL);
    ck_assert_int_eq(parse(&list, "a'=c"), -EINVAL);
    memset(long_value + 2, 'v', LABEL_VALUE_BYTES);
    ck_assert_int_eq(parse(&list, long_value), -E2BIG);
    ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(there_is_an_end_to_labels)
{
    char key[16];

    for (int i = 0; i < LABELS_MAX; i++) {
        int length = snprintf(key, sizeof(key), "k%d", i);
        ck_assert_int_eq(label_list_set(&list, key, (size_t)length, "v", 1), 0);
    }
    ck_assert_int_eq(label_list_set(&list, "more", 4, "v", 1), -E2BIG);
    ck_assert_int_eq(label_list_set(&list, "k3", 2, "w", 1), 0);
    label_list_remove(&list, "k0");
    ck_assert_ptr_null(label_list_get(&list, "k0"));
    ck_assert_int_eq(label_list_set(&list, "more", 4, "v", 1), 0);
}
END_TEST

START_TEST(a_file_of_the_downward_api_is_read)
{
    ck_assert_int_eq(label_list_parse_downward(&list, "app.kubernetes.io/name=\"web\"\n"
                                                      "note=\"a \\\"quoted\\\"\\nline \\x41\"\n\n"),
                     0);
    ck_assert_str_eq(label_list_get(&list, "app.kubernetes.io/name"), "web");
    ck_assert_str_eq(label_list_get(&list, "note"), "a \"quoted\"\nline A");
    ck_assert_int_eq(label_list_parse_downward(&list, "a=b\n"), -EINVAL);
    ck_assert_int_eq(label_list_parse_downward(&list, "a=\"b\n"), -EINVAL);
    ck_assert_int_eq(label_list_parse_downward(&list, "a=\"b"), -EINVAL);
    ck_assert_int_eq(label_list_parse_downward(&list, "a=\"b\\"), -EINVAL);
}
END_TEST

START_TEST(a_unit_is_told_by_the_cgroup)
{
    const char *service;
    size_t length;

    process_labels_of_cgroup("0::/system.slice/system-web.slice/web@blue.service\n", &list);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(label_list_get(&list, "unit"), "web@blue.service");
    process_labels_service_of_unit("web@blue.service", &service, &length);
    ck_assert_int_eq(strncmp(service, "web", length), 0);
    ck_assert_uint_eq(length, 3);
    process_labels_service_of_unit("session-1.scope", &service, &length);
    ck_assert_uint_eq(length, 0);
}
END_TEST

START_TEST(a_pod_and_its_container_are_told_by_the_cgroup)
{
    process_labels_of_cgroup(
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_ab.slice/"
        "cri-containerd-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope\n",
        &list);
    ck_assert_str_eq(label_list_get(&list, "pod"), "12_ab");
    ck_assert_str_eq(label_list_get(&list, "container"), "0123456789ab");
}
END_TEST

START_TEST(a_cgroup_without_anything_tells_nothing)
{
    process_labels_of_cgroup("0::/\n1:name=systemd:/init.scope\ngarbage\n/", &list);
    ck_assert_uint_eq(list.count, 0);
}
END_TEST

static int64_t now_ns(void)
{
    struct timespec now;

    ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

/* A process whose environment has LABELS, which OWN gets. */
static pid_t start_labelled(const char *labels, struct label_list *own)
{
    size_t left_out;
    pid_t child = fork();

    if (child == 0) {
        setenv("PROFD_LABELS", labels, 1);
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
        _exit(127);
    }
    *own = (struct label_list){ 0 };
    for (int i = 0; i < 10000 && own->count == 0; i++) {
        (void)process_labels_read(child, now_ns(), &list, own, &left_out);
        usleep(1000);
    }
    return child;
}

static void end_labelled(pid_t child)
{
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

START_TEST(a_process_says_its_own_labels)
{
    struct label_list own;
    pid_t child = start_labelled("version=3,=bad", &own);

    ck_assert_str_eq(label_list_get(&own, "version"), "3");
    end_labelled(child);
}
END_TEST

/* pass VALUE of KEY: what becomes of it. */
static const char *passed_value(struct label_bounds *bounds, const char *key, const char *value)
{
    static char text[LABEL_VALUE_BYTES];
    size_t length = strlen(value);
    const char *bytes = label_bounds_pass(bounds, key, value, &length);

    snprintf(text, sizeof(text), "%.*s", (int)length, bytes);
    return text;
}

START_TEST(values_beyond_the_bound_are_folded_and_counted)
{
    struct label_bounds bounds;

    label_bounds_init(&bounds, 10, 2);
    ck_assert_str_eq(passed_value(&bounds, "k", "a"), "a");
    ck_assert_str_eq(passed_value(&bounds, "k", "b"), "b");
    ck_assert_str_eq(passed_value(&bounds, "k", "c"), LABEL_OTHER);
    ck_assert_str_eq(passed_value(&bounds, "k", "a"), "a");
    ck_assert_str_eq(passed_value(&bounds, "other", "c"), "c");
    ck_assert_uint_eq(bounds.folded, 1);
    label_bounds_forget(&bounds);
    ck_assert_str_eq(passed_value(&bounds, "k", "c"), "c");
    ck_assert_uint_eq(bounds.folded, 1);
    label_bounds_fini(&bounds);
}
END_TEST

START_TEST(keys_beyond_the_bound_are_told)
{
    struct label_bounds bounds;

    label_bounds_init(&bounds, 2, 10);
    ck_assert(label_bounds_pass_key(&bounds, "a"));
    ck_assert_str_eq(passed_value(&bounds, "a", "x"), "x");
    ck_assert(label_bounds_pass_key(&bounds, "b"));
    ck_assert(!label_bounds_pass_key(&bounds, "c"));
    ck_assert(label_bounds_pass_key(&bounds, "a"));
    ck_assert_uint_eq(bounds.folded, 1);
    label_bounds_forget(&bounds);
    ck_assert(label_bounds_pass_key(&bounds, "c"));
    ck_assert_uint_eq(bounds.folded, 1);
    label_bounds_fini(&bounds);
}
END_TEST

static struct exported_process seen_process(pid_t pid, int64_t seen_ns)
{
    return (struct exported_process){
        .program = "sleep",
        .kind = "",
        .build_id = "",
        .pid = pid,
        .parent_pid = -1,
        .seen_ns = seen_ns,
    };
}

static bool has_text(const struct row_writer *columns, const char *text)
{
    return memmem(columns->bytes.items, columns->bytes.count, text, strlen(text)) != NULL;
}

/* Six columns have names, too; the exporter's own keys always pass. */
START_TEST(keys_of_processes_are_bounded)
{
    struct label_list own;
    pid_t child = start_labelled("key-a=value-a,key-b=value-b,key-c=value-c,key-d=value-d", &own);
    const struct exported_process process = seen_process(child, now_ns());
    struct source_labels source;
    struct row_writer columns = { 0 };

    clear_list();
    ck_assert_int_eq(parse(&list, "zone=here"), 0);
    source_labels_init(&source, &list);
    source.bounds.max_keys = 8;
    ck_assert_int_eq(source_labels_describe(&source, &process, "main", &columns), 0);
    ck_assert(has_text(&columns, "key-a") && has_text(&columns, "value-b"));
    ck_assert(has_text(&columns, "zone") && has_text(&columns, "here"));
    ck_assert(!has_text(&columns, "key-c") && !has_text(&columns, "value-d"));
    ck_assert(has_text(&columns, LABEL_OTHER));
    ck_assert_uint_eq(source.bounds.folded, 2);
    row_writer_free(&columns);
    source_labels_fini(&source);
    end_labelled(child);
}
END_TEST

static void describe_in(struct source_labels *source, const struct exported_process *process,
                        struct row_writer *columns)
{
    row_writer_clear(columns);
    ck_assert_int_eq(source_labels_describe(source, process, "main", columns), 0);
}

/* The kernel shows the environment of the last one. */
START_TEST(each_program_of_a_process_has_its_own_labels)
{
    struct label_list own;
    pid_t child = start_labelled("zone=kernels", &own);
    struct exported_process process = seen_process(child, now_ns());
    struct source_labels source;
    struct row_writer columns = { 0 };

    clear_list();
    source_labels_init(&source, &list);
    process.end = EXPORTED_WENT_ON;
    process.has_agent = true;
    process.later_images = 2;
    process.labels = "zone=first";
    describe_in(&source, &process, &columns);
    ck_assert(has_text(&columns, "first") && !has_text(&columns, "kernels"));
    process.later_images = 1;
    process.labels = NULL;
    describe_in(&source, &process, &columns);
    ck_assert(!has_text(&columns, "zone"));
    process.later_images = 0;
    process.end = EXPORTED_LIVES;
    describe_in(&source, &process, &columns);
    ck_assert(has_text(&columns, "kernels"));
    source_labels_forget(&source);
    process.end = EXPORTED_ENDED; /* and another process has its pid */
    describe_in(&source, &process, &columns);
    ck_assert(!has_text(&columns, "zone"));
    row_writer_free(&columns);
    source_labels_fini(&source);
    end_labelled(child);
}
END_TEST

START_TEST(two_processes_may_have_one_pid_after_another)
{
    struct exported_process process = { .program = "cc",
                                        .kind = "",
                                        .build_id = "",
                                        .labels = "zone=first",
                                        .pid = INT32_MAX,
                                        .parent_pid = -1,
                                        .end = EXPORTED_ENDED,
                                        .seen_ns = 1 };
    struct source_labels source;
    struct row_writer columns = { 0 };

    clear_list();
    source_labels_init(&source, &list);
    describe_in(&source, &process, &columns);
    ck_assert(has_text(&columns, "first"));
    process.labels = "zone=second";
    process.seen_ns = 2;
    describe_in(&source, &process, &columns);
    ck_assert(has_text(&columns, "second") && !has_text(&columns, "first"));
    row_writer_free(&columns);
    source_labels_fini(&source);
}
END_TEST

START_TEST(pids_that_others_have_by_now_tell_nothing)
{
    int64_t before_ns = now_ns() - NS_PER_S;
    struct label_list own;
    pid_t child = start_labelled("zone=strangers", &own);
    struct exported_process process = seen_process(child, before_ns);
    struct source_labels source;
    struct row_writer columns = { 0 };

    clear_list();
    source_labels_init(&source, &list);
    describe_in(&source, &process, &columns);
    ck_assert(!has_text(&columns, "zone"));
    source_labels_forget(&source);
    process = (struct exported_process){ .program = "cc",
                                         .kind = "",
                                         .build_id = "",
                                         .pid = INT32_MAX,
                                         .parent_pid = child,
                                         .end = EXPORTED_ENDED,
                                         .seen_ns = now_ns() };
    describe_in(&source, &process, &columns);
    ck_assert(has_text(&columns, "strangers")); /* it was there, and is the parent */
    source_labels_forget(&source);
    process.seen_ns = before_ns;
    describe_in(&source, &process, &columns);
    ck_assert(!has_text(&columns, "zone"));
    row_writer_free(&columns);
    source_labels_fini(&source);
    end_labelled(child);
}
END_TEST

/* Its environment is not to be read from here, or is another's by now. */
START_TEST(what_the_agent_told_comes_before_all_others)
{
    const struct exported_process process = { .program = "server",
                                              .kind = "",
                                              .build_id = "",
                                              .labels = "service=web,zone=a",
                                              .pid = -1,
                                              .parent_pid = -1 };
    struct label_list all = { 0 };
    struct source_labels source;
    struct row_writer columns = { 0 };
    ck_assert_int_eq(parse(&all, "service=ours,zone=b,rack=7"), 0);
    source_labels_init(&source, &all);
    ck_assert_int_eq(source_labels_describe(&source, &process, "main", &columns), 0);
    ck_assert_ptr_nonnull(memmem(columns.bytes.items, columns.bytes.count, "\003web", 4));
    ck_assert_ptr_null(memmem(columns.bytes.items, columns.bytes.count, "ours", 4));
    ck_assert_ptr_nonnull(memmem(columns.bytes.items, columns.bytes.count, "\0017\001a", 4));
    row_writer_free(&columns);
    source_labels_fini(&source);
}
END_TEST

static uint64_t left_out_of(const struct exported_process *process, const char *all_text)
{
    struct label_list all = { 0 };
    struct source_labels source;
    struct row_writer columns = { 0 };
    ck_assert_int_eq(parse(&all, all_text), 0);
    source_labels_init(&source, &all);
    ck_assert_int_eq(source_labels_describe(&source, process, "main", &columns), 0);
    uint64_t left_out = source.left_out;
    row_writer_free(&columns);
    source_labels_fini(&source);
    return left_out;
}

START_TEST(labels_that_are_left_out_are_counted)
{
    struct exported_process process = {
        .program = "server", .kind = "", .build_id = "", .pid = -1, .parent_pid = -1
    };
    process.labels = "a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8,i=9,j=10,k=11,l=12,m=13,n=14,o=15,p=16";
    ck_assert_uint_eq(left_out_of(&process, ""), 0);
    ck_assert_uint_eq(left_out_of(&process, "a=9"), 0);
    ck_assert_uint_eq(left_out_of(&process, "x=1,y=2"), 2);
    process.labels = "a=1,nonsense,=b,c=3";
    ck_assert_uint_eq(left_out_of(&process, ""), 2);
    process.labels_left_out = 5;
    ck_assert_uint_eq(left_out_of(&process, ""), 7);
    process.labels = NULL;
    ck_assert_uint_eq(left_out_of(&process, ""), 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.labels");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, the_later_value_stays_and_keys_are_sorted);
    tcase_add_test(claims, values_have_any_bytes);
    tcase_add_test(claims, a_key_that_is_given_twice_is_refused);
    tcase_add_test(claims, what_is_no_label_is_refused);
    tcase_add_test(claims, there_is_an_end_to_labels);
    tcase_add_test(claims, a_file_of_the_downward_api_is_read);
    tcase_add_test(claims, labels_that_are_left_out_are_counted);
    tcase_add_test(claims, a_unit_is_told_by_the_cgroup);
    tcase_add_test(claims, a_pod_and_its_container_are_told_by_the_cgroup);
    tcase_add_test(claims, a_cgroup_without_anything_tells_nothing);
    tcase_add_test(claims, a_process_says_its_own_labels);
    tcase_add_test(claims, values_beyond_the_bound_are_folded_and_counted);
    tcase_add_test(claims, keys_beyond_the_bound_are_told);
    tcase_add_test(claims, keys_of_processes_are_bounded);
    tcase_add_test(claims, each_program_of_a_process_has_its_own_labels);
    tcase_add_test(claims, two_processes_may_have_one_pid_after_another);
    tcase_add_test(claims, pids_that_others_have_by_now_tell_nothing);
    tcase_add_test(claims, what_the_agent_told_comes_before_all_others);
    tcase_add_checked_fixture(claims, clear_list, NULL);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
