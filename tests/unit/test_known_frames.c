/* Frame pointers that were known at a frame where a look had ended. */
#include <check.h>
#include <stdlib.h>

#include "child-agent/sampler/known_frames.h"
#include "tests/unit/run_suite.h"

enum { STACK = 0x7000, BASE = 0x7100 };

/* wait() called by loop(), which main() called. */
static const struct unwind_frame whole[] = {
    { 0x1000, STACK + 16 },
    { 0x2000, BASE + 16 },
    { 0x3000, BASE + 64 },
};
/* As a look finds it: how far loop()'s frame goes is not known. */
static const struct unwind_frame seen[] = { { 0x1000, STACK + 16 }, { 0x2000, STACK + 16 } };

static struct known_frames known;
static struct snapshot look, answer;
static uint64_t found;

static void begin(void)
{
    known = (struct known_frames){ 0 };
    look = answer = (struct snapshot){ 0 };
    look.registers[REGISTER_RSP] = answer.registers[REGISTER_RSP] = STACK;
    look.registers[REGISTER_RBP] = 1;
    answer.registers[REGISTER_RBP] = BASE;
    found = 0;
}

START_TEST(what_was_missed_is_known_after_an_answer)
{
    ck_assert(!known_frames_find(&known, &look, seen, 2, &found));
    known_frames_miss(&known, &look, seen, 2);
    known_frames_learn(&known, &answer, whole, 3);
    ck_assert(known_frames_find(&known, &look, seen, 2, &found));
    ck_assert_uint_eq(found, BASE);
}
END_TEST

START_TEST(the_innermost_frame_may_be_the_one)
{
    known_frames_miss(&known, &look, seen, 1);
    known_frames_learn(&known, &answer, whole, 3);
    ck_assert(known_frames_find(&known, &look, seen, 1, &found));
    look.registers[REGISTER_RSP] += 8;
    ck_assert(!known_frames_find(&known, &look, seen, 1, &found));
}
END_TEST

START_TEST(another_frame_or_place_is_not_known)
{
    struct unwind_frame other[] = { seen[0], seen[1] };

    known_frames_miss(&known, &look, seen, 2);
    known_frames_learn(&known, &answer, whole, 3);
    other[1].address++;
    ck_assert(!known_frames_find(&known, &look, other, 2, &found));
    other[1] = seen[1];
    other[0].stack_address += 8;
    ck_assert(!known_frames_find(&known, &look, other, 2, &found));
    ck_assert(!known_frames_find(&known, &look, seen, 1, &found));
    ck_assert(!known_frames_find(&known, &look, seen, 0, &found));
}
END_TEST

START_TEST(an_answer_from_elsewhere_teaches_nothing)
{
    known_frames_learn(&known, &answer, whole, 3); /* nothing was missed */
    known_frames_miss(&known, &look, seen, 2);
    known_frames_learn(&known, &answer, whole, 1); /* not so deep */
    known_frames_learn(&known, &answer, whole, 3); /* too late */
    ck_assert(!known_frames_find(&known, &look, seen, 2, &found));
    known_frames_miss(&known, &look, seen, 2);
    known_frames_learn(&known, &answer, whole + 1, 2); /* other functions */
    ck_assert(!known_frames_find(&known, &look, seen, 2, &found));
    known_frames_miss(&known, &look, seen, 0);
    known_frames_learn(&known, &answer, whole, 3);
    ck_assert(!known_frames_find(&known, &look, seen, 2, &found));
}
END_TEST

START_TEST(the_oldest_makes_room)
{
    struct unwind_frame frames[] = { whole[0], whole[1], whole[2] };

    for (uint64_t i = 0; i <= KNOWN_FRAMES_MOST; i++) {
        frames[1].address = 0x2000 + i;
        answer.registers[REGISTER_RBP] = BASE + i;
        known_frames_miss(&known, &look, frames, 2);
        known_frames_learn(&known, &answer, frames, 3);
    }
    for (uint64_t i = 1; i <= KNOWN_FRAMES_MOST; i++) {
        frames[1].address = 0x2000 + i;
        ck_assert(known_frames_find(&known, &look, frames, 2, &found));
        ck_assert_uint_eq(found, BASE + i);
    }
    ck_assert(!known_frames_find(&known, &look, seen, 2, &found));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.known_frames");
    TCase *tcase = tcase_create("known_frames");
    tcase_add_checked_fixture(tcase, begin, NULL);
    tcase_add_test(tcase, what_was_missed_is_known_after_an_answer);
    tcase_add_test(tcase, the_innermost_frame_may_be_the_one);
    tcase_add_test(tcase, another_frame_or_place_is_not_known);
    tcase_add_test(tcase, an_answer_from_elsewhere_teaches_nothing);
    tcase_add_test(tcase, the_oldest_makes_room);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
