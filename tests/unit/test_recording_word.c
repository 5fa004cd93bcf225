#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "child-agent/recording_word.h"
#include "profd.h"
#include "tests/unit/run_suite.h"

enum { MORE_THAN_FIT = 1000, ROUNDS = 20000 };

START_TEST(test_followers_say_what_our_word_says)
{
    volatile uint32_t early = 0, late = 0;
    ck_assert_int_eq(recording_word_follow(&early), 0);
    recording_word_set(PROFD_RECORDING_MARKERS);
    ck_assert_uint_eq(early, PROFD_RECORDING_MARKERS);
    ck_assert_int_eq(recording_word_follow(&late), 0);
    ck_assert_uint_eq(late, PROFD_RECORDING_MARKERS);
    recording_word_set(0);
    ck_assert_uint_eq(profd_recording | early | late, 0);
}
END_TEST

START_TEST(test_a_word_that_is_gone_is_left_alone)
{
    volatile uint32_t gone = 0, kept = 0;
    ck_assert_int_eq(recording_word_follow(&gone), 0);
    ck_assert_int_eq(recording_word_follow(&gone), 0); /* two threads may find the agent at once */
    ck_assert_int_eq(recording_word_follow(&kept), 0);
    recording_word_unfollow(&gone);
    recording_word_unfollow(&gone);
    recording_word_set(PROFD_RECORDING_LABELS);
    ck_assert_uint_eq(gone, 0);
    ck_assert_uint_eq(kept, PROFD_RECORDING_LABELS);
}
END_TEST

START_TEST(test_our_own_word_is_no_follower)
{
    for (int i = 0; i < MORE_THAN_FIT; i++)
        ck_assert_int_eq(recording_word_follow(&profd_recording), 0);
    recording_word_set(PROFD_RECORDING_LABELS);
    ck_assert_uint_eq(profd_recording, PROFD_RECORDING_LABELS);
}
END_TEST

START_TEST(test_too_many_are_refused_until_one_goes)
{
    static volatile uint32_t words[MORE_THAN_FIT];
    int count = 0;
    while (recording_word_follow(&words[count]) == 0)
        count++;
    ck_assert_int_gt(count, 8);
    ck_assert_int_eq(recording_word_follow(&words[count]), -ENOSPC);
    recording_word_unfollow(&words[count / 2]);
    ck_assert_int_eq(recording_word_follow(&words[count]), 0);
    recording_word_set(PROFD_RECORDING_MARKERS);
    ck_assert_uint_eq(words[count], PROFD_RECORDING_MARKERS);
    ck_assert_uint_eq(words[count / 2], 0);
}
END_TEST

static void *set_often(void *bits)
{
    for (uint32_t i = 0; i < ROUNDS; i++)
        recording_word_set(i % 2 == 0 ? *(const uint32_t *)bits : 0);
    return NULL;
}

START_TEST(test_words_agree_after_all_that_happens_at_once)
{
    static volatile uint32_t word;
    static uint32_t bits[] = { PROFD_RECORDING_MARKERS, PROFD_RECORDING_LABELS };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, set_often, &bits[i]), 0);
    for (int i = 0; i < ROUNDS / 10; i++) {
        ck_assert_int_eq(recording_word_follow(&word), 0);
        recording_word_unfollow(&word);
    }
    ck_assert_int_eq(recording_word_follow(&word), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(word, profd_recording);
}
END_TEST

static TCase *cases(void)
{
    TCase *cases = tcase_create("recording word");
    tcase_add_test(cases, test_followers_say_what_our_word_says);
    tcase_add_test(cases, test_a_word_that_is_gone_is_left_alone);
    tcase_add_test(cases, test_our_own_word_is_no_follower);
    tcase_add_test(cases, test_too_many_are_refused_until_one_goes);
    tcase_add_test(cases, test_words_agree_after_all_that_happens_at_once);
    return cases;
}

int main(void)
{
    Suite *suite = suite_create("recording_word");
    suite_add_tcase(suite, cases());
    return run_suite(suite);
}
