/* daemon.census_told */
#include <check.h>
#include <string.h>

#include "daemon/census/census_told.h"
#include "tests/unit/run_suite.h"

static char executable[] = "/bin/still", nothing[] = "";

static struct child child_with_hello(uint64_t start_ns)
{
    return (struct child){
        .pid = 10, .start_ns = start_ns, .executable = executable, .state = CHILD_CONNECTED
    };
}

static struct child silent_child(uint64_t start_ns)
{
    struct child child = child_with_hello(start_ns);
    child.state = CHILD_DETACHED;
    child.agent = CHILD_IS_SILENT;
    return child;
}

static struct child ended_child(struct child child, enum process_verdict verdict, uint64_t end_ns)
{
    child.state = CHILD_ENDED;
    child.verdict = verdict;
    child.end_ns = end_ns;
    return child;
}

static struct census_entry entry_of(enum census_kind kind, uint64_t time_ns)
{
    struct census_entry entry = {
        .kind = kind, .pid = 10, .time_ns = time_ns, .obstacle = OBSTACLE_STATIC
    };
    census_ring_set_path(&entry, "still");
    return entry;
}

static void check_meaning(const struct child *latest, enum census_kind kind, uint64_t time_ns,
                          enum census_meaning expect)
{
    struct census_entry entry = entry_of(kind, time_ns);
    ck_assert_int_eq(census_meaning_of(latest, &entry), expect);
}

START_TEST(a_process_that_is_there_is_taken_in_once)
{
    struct child same = child_with_hello(100), before = child_with_hello(90);
    check_meaning(NULL, CENSUS_PRESENT, 100, CENSUS_MEANS_PRESENT);
    check_meaning(&before, CENSUS_PRESENT, 100, CENSUS_MEANS_PRESENT);
    check_meaning(&same, CENSUS_PRESENT, 100, CENSUS_MEANS_NOTHING); /* its hello was read before */
}
END_TEST

START_TEST(who_ended_before_it_was_told_of_is_taken_in_once)
{
    struct child ended = ended_child(silent_child(200), VERDICT_EXITED, 200);
    struct child named = ended;
    ended.knowledge = CHILD_KNOWN_BY_END_UNNAMED;
    named.knowledge = CHILD_KNOWN_BY_END;
    check_meaning(&ended, CENSUS_PRESENT, 190, CENSUS_MEANS_NAME);
    check_meaning(&named, CENSUS_PRESENT, 190, CENSUS_MEANS_NOTHING);
    check_meaning(&ended, CENSUS_PRESENT, 210, CENSUS_MEANS_PRESENT); /* its pid is used again */
}
END_TEST

/* As a newer agent may tell, or a broken one. */
START_TEST(an_unknown_obstacle_is_none)
{
    struct child ended = ended_child(silent_child(200), VERDICT_EXITED, 200);
    struct census_entry entry = entry_of(CENSUS_PRESENT, 190);
    ended.knowledge = CHILD_KNOWN_BY_END_UNNAMED;
    entry.obstacle = OBSTACLE_COUNT;
    ck_assert_int_eq(census_meaning_of(&ended, &entry), CENSUS_MEANS_PRESENT);
}
END_TEST

START_TEST(a_wish_is_of_whoever_is_known)
{
    struct child known = child_with_hello(100);
    check_meaning(&known, CENSUS_WISH, 300, CENSUS_MEANS_LOAN_REQUEST);
    check_meaning(NULL, CENSUS_WISH, 300, CENSUS_MEANS_NOTHING);
}
END_TEST

/* Neither of one that had its pid before, or has it now. */
START_TEST(last_words_are_of_whoever_lived_then)
{
    struct child known = child_with_hello(100), silent = silent_child(100);
    struct child ended = ended_child(known, VERDICT_VANISHED, 200);
    check_meaning(&known, CENSUS_LEAVING, 150, CENSUS_MEANS_LEAVING);
    check_meaning(&known, CENSUS_LEAVING, 90, CENSUS_MEANS_NOTHING);
    check_meaning(&ended, CENSUS_LEAVING, 190, CENSUS_MEANS_LEAVING);
    check_meaning(&ended, CENSUS_LEAVING, 210, CENSUS_MEANS_NOTHING);
    check_meaning(&silent, CENSUS_LEAVING, 150, CENSUS_MEANS_NOTHING);
    check_meaning(NULL, CENSUS_LEAVING, 150, CENSUS_MEANS_NOTHING);
}
END_TEST

START_TEST(a_program_of_an_unknown_process_is_new)
{
    check_meaning(NULL, CENSUS_EXEC, 100, CENSUS_MEANS_NEW);
}
END_TEST

START_TEST(a_program_that_a_forked_child_becomes_is_new)
{
    struct child forked = child_with_hello(90);
    check_meaning(&forked, CENSUS_EXEC, 100, CENSUS_MEANS_NEW);
    forked = ended_child(forked, VERDICT_EXECED, 110); /* its agent's silence was noticed first */
    check_meaning(&forked, CENSUS_EXEC, 100, CENSUS_MEANS_NEW);
}
END_TEST

START_TEST(a_hello_that_came_after_all_is_right)
{
    struct child image = child_with_hello(110);
    check_meaning(&image, CENSUS_EXEC, 100, CENSUS_MEANS_NOTHING);
}
END_TEST

START_TEST(what_was_seen_in_proc_is_not_new)
{
    struct child seen = silent_child(90);
    check_meaning(&seen, CENSUS_EXEC, 100, CENSUS_MEANS_NOTHING);
    seen = ended_child(seen, VERDICT_VANISHED, 110);
    check_meaning(&seen, CENSUS_EXEC, 100, CENSUS_MEANS_NOTHING);
    check_meaning(&seen, CENSUS_EXEC, 120, CENSUS_MEANS_NEW); /* its pid is used again */
}
END_TEST

START_TEST(an_end_that_was_noticed_first_was_that_of_the_program)
{
    struct child forked = ended_child(child_with_hello(90), VERDICT_EXITED, 110);
    check_meaning(&forked, CENSUS_EXEC, 100, CENSUS_MEANS_LAST_WORDS);
    check_meaning(&forked, CENSUS_EXEC, 120, CENSUS_MEANS_NEW);
}
END_TEST

START_TEST(a_name_may_come_after_the_end)
{
    struct child nameless = ended_child(silent_child(100), VERDICT_EXITED, 100);
    nameless.executable = nothing;
    check_meaning(&nameless, CENSUS_EXEC, 110, CENSUS_MEANS_NAME);
    check_meaning(&nameless, CENSUS_EXEC, UINT64_C(10000000000), CENSUS_MEANS_NEW);
}
END_TEST

static void check_usual(const struct child *latest, enum census_kind kind, uint64_t time_ns,
                        enum census_meaning expect)
{
    struct census_entry entry = entry_of(kind, time_ns);
    entry.obstacle = OBSTACLE_NONE;
    ck_assert_int_eq(census_meaning_of(latest, &entry), expect);
}

START_TEST(a_program_without_obstacle_will_say_hello)
{
    struct child earlier = ended_child(child_with_hello(50), VERDICT_EXITED, 60);
    check_usual(NULL, CENSUS_EXEC, 100, CENSUS_MEANS_PROMISE);
    check_usual(&earlier, CENSUS_EXEC, 100, CENSUS_MEANS_PROMISE);
    struct child image = child_with_hello(90);
    check_usual(&image, CENSUS_EXEC, 100, CENSUS_MEANS_PROMISE);
    image = child_with_hello(110);
    check_usual(&image, CENSUS_EXEC, 100, CENSUS_MEANS_NOTHING); /* it has said so */
    check_usual(&image, CENSUS_FAILED, 100, CENSUS_MEANS_NO_EXEC);
}
END_TEST

START_TEST(one_in_which_nobody_listens_goes_on_as_another_program)
{
    struct child image = child_with_hello(90);
    image.agent = CHILD_IS_ALONE;
    check_usual(&image, CENSUS_EXEC, 100, CENSUS_MEANS_EXEC);
    image = ended_child(image, VERDICT_EXITED, 110);
    check_usual(&image, CENSUS_EXEC, 100, CENSUS_MEANS_EXEC);
    check_usual(&image, CENSUS_EXEC, 120, CENSUS_MEANS_PROMISE); /* its pid is used again */
}
END_TEST

START_TEST(a_name_is_better_than_a_guess)
{
    struct child guessed = ended_child(silent_child(100), VERDICT_EXITED, 100);
    check_usual(&guessed, CENSUS_EXEC, 90, CENSUS_MEANS_NOTHING);
    guessed.knowledge = CHILD_KNOWN_BY_END_UNNAMED;
    check_usual(&guessed, CENSUS_EXEC, 90, CENSUS_MEANS_NAME);
}
END_TEST

START_TEST(a_program_that_could_not_be_run_was_a_mistake)
{
    struct child image = silent_child(100);
    check_meaning(&image, CENSUS_FAILED, 110, CENSUS_MEANS_MISTAKE);
    image = ended_child(image, VERDICT_VANISHED, 100);
    check_meaning(&image, CENSUS_FAILED, 110, CENSUS_MEANS_MISTAKE);
    image = child_with_hello(100);
    check_meaning(&image, CENSUS_FAILED, 110, CENSUS_MEANS_NOTHING);
    check_meaning(NULL, CENSUS_FAILED, 110, CENSUS_MEANS_NOTHING);
}
END_TEST

START_TEST(what_makes_no_sense_means_nothing)
{
    struct census_entry entry = entry_of(CENSUS_EXEC, 100);
    entry.obstacle = OBSTACLE_COUNT;
    ck_assert_int_eq(census_meaning_of(NULL, &entry), CENSUS_MEANS_NOTHING);
    entry = entry_of(CENSUS_ENDED, 100);
    entry.pid = 0;
    ck_assert_int_eq(census_meaning_of(NULL, &entry), CENSUS_MEANS_NOTHING);
    entry = entry_of((enum census_kind)77, 100);
    ck_assert_int_eq(census_meaning_of(NULL, &entry), CENSUS_MEANS_NOTHING);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_told");
    TCase *tests = tcase_create("meanings");
    tcase_add_test(tests, who_ended_before_it_was_told_of_is_taken_in_once);
    tcase_add_test(tests, an_unknown_obstacle_is_none);
    tcase_add_test(tests, a_wish_is_of_whoever_is_known);
    tcase_add_test(tests, last_words_are_of_whoever_lived_then);
    tcase_add_test(tests, a_process_that_is_there_is_taken_in_once);
    tcase_add_test(tests, a_program_of_an_unknown_process_is_new);
    tcase_add_test(tests, a_program_that_a_forked_child_becomes_is_new);
    tcase_add_test(tests, a_hello_that_came_after_all_is_right);
    tcase_add_test(tests, what_was_seen_in_proc_is_not_new);
    tcase_add_test(tests, an_end_that_was_noticed_first_was_that_of_the_program);
    tcase_add_test(tests, a_name_may_come_after_the_end);
    tcase_add_test(tests, a_program_without_obstacle_will_say_hello);
    tcase_add_test(tests, one_in_which_nobody_listens_goes_on_as_another_program);
    tcase_add_test(tests, a_name_is_better_than_a_guess);
    tcase_add_test(tests, a_program_that_could_not_be_run_was_a_mistake);
    tcase_add_test(tests, what_makes_no_sense_means_nothing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
