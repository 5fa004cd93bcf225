/* Distances of frame pointers, as answers tell them where looks have ended. */
#include <alloca.h>
#include <check.h>
#include <stdlib.h>

#include "child-agent/sampler/known_frames.h"
#include "child-agent/unwinding/modules.h"
#include "tests/unit/run_suite.h"

enum { STACK = 0x7000, BASE = 0x7100, IN_FUNCTION = 8 };

static __attribute__((noinline)) void have_fixed_frame(void)
{
    char bytes[100];
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static __attribute__((noinline)) void have_frame_of(size_t bytes)
{
    __asm__ volatile("" : : "r"(alloca(bytes)) : "memory");
}

static struct module_map *modules;
static struct unwinder *unwinder;
static struct known_frames known;
static struct snapshot answer;
static struct unwind_frame whole[3]; /* wait() called by a function, which main() called */
static uint64_t distance;

static void begin(void)
{
    ck_assert_int_eq(module_map_create(NULL, &modules), 0);
    ck_assert_int_eq(unwinder_create(modules, &unwinder), 0);
    known = (struct known_frames){ 0 };
    answer = (struct snapshot){ 0 };
    answer.registers[REGISTER_RSP] = STACK;
    answer.registers[REGISTER_RBP] = BASE;
    whole[0] = (struct unwind_frame){ 0x1000, STACK + 16 };
    whole[1] = (struct unwind_frame){ (uintptr_t)have_fixed_frame + IN_FUNCTION, BASE + 16 };
    whole[2] = (struct unwind_frame){ 0x3000, BASE + 64 };
}

static void end(void)
{
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
}

static void learn(const struct missed_frame *missed, size_t count)
{
    known_frames_learn(&known, unwinder, missed, &answer, whole, count);
}

START_TEST(an_answer_tells_what_was_missed)
{
    const struct missed_frame missed = missed_frame_of(whole, 2);

    ck_assert(!known_frames_find(&known, whole[1].address, &distance));
    learn(&missed, 3);
    ck_assert(known_frames_find(&known, whole[1].address, &distance));
    ck_assert_uint_eq(distance, BASE - STACK - 16);
    ck_assert(!known_frames_find(&known, whole[1].address + 1, &distance));
    ck_assert(!known_frames_find(&known, whole[0].address, &distance));
    ck_assert(!known_frames_find(&known, 0, &distance));
}
END_TEST

START_TEST(the_innermost_frame_may_be_the_one)
{
    whole[0].address = (uintptr_t)have_fixed_frame + IN_FUNCTION;
    const struct missed_frame missed = missed_frame_of(whole, 1);

    learn(&missed, 3);
    ck_assert(known_frames_find(&known, whole[0].address, &distance));
    ck_assert_uint_eq(distance, BASE - STACK);
}
END_TEST

START_TEST(a_frame_of_any_size_tells_nothing)
{
    whole[1].address = (uintptr_t)have_frame_of + IN_FUNCTION;
    const struct missed_frame missed = missed_frame_of(whole, 2);

    have_fixed_frame();
    have_frame_of(IN_FUNCTION);
    learn(&missed, 3);
    ck_assert(!known_frames_find(&known, whole[1].address, &distance));
}
END_TEST

START_TEST(code_that_is_no_function_tells_nothing)
{
    whole[1].address = (uintptr_t)&known;
    const struct missed_frame missed = missed_frame_of(whole, 2);

    learn(&missed, 3);
    ck_assert(!known_frames_find(&known, whole[1].address, &distance));
}
END_TEST

START_TEST(an_answer_from_elsewhere_tells_nothing)
{
    const struct missed_frame none = { 0 }, missed = missed_frame_of(whole, 2);
    const uint64_t sought = whole[1].address;

    learn(&none, 3);
    learn(&missed, 1);  /* not so deep */
    whole[0].address++; /* by another function, which may have saved the frame pointer */
    learn(&missed, 3);
    ck_assert(!known_frames_find(&known, sought, &distance));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.known_frames");
    TCase *tcase = tcase_create("known_frames");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, an_answer_tells_what_was_missed);
    tcase_add_test(tcase, the_innermost_frame_may_be_the_one);
    tcase_add_test(tcase, a_frame_of_any_size_tells_nothing);
    tcase_add_test(tcase, code_that_is_no_function_tells_nothing);
    tcase_add_test(tcase, an_answer_from_elsewhere_tells_nothing);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
