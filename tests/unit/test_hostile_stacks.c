/* child-agent.unwinder: stacks and registers of any bytes. */
#pragma GCC optimize("omit-frame-pointer")

#include <string.h>

#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/frame_shapes.h"
#include "tests/unit/run_suite.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

START_TEST(any_bytes_in_the_copy_are_survived)
{
    static struct snapshot_copy original;
    uint64_t random = 0x9e3779b97f4a7c15 + (uint64_t)_i;
    sort();
    memcpy(&original, &copy, sizeof(copy));
    for (int round = 0; round < 2000; round++) {
        size_t words = original.snapshot.stack_bytes / 8;
        memcpy(&copy, &original, sizeof(copy));
        for (uint64_t changes = 1 + next_random(&random) % 40; changes > 0; changes--) {
            uint64_t kind = next_random(&random) % 5;
            uint64_t value = next_random(&random);
            if (kind == 1)
                value = original.snapshot.stack_start + value % original.snapshot.stack_bytes;
            else if (kind == 2)
                memcpy(&value, original.stack + value % words * 8, 8);
            else if (kind == 3)
                value = original.snapshot.registers[REGISTER_RIP] + value % 65536;
            else if (kind == 4)
                value = (uint64_t)(uintptr_t)&labs + value % 65536;
            uint64_t place = next_random(&random) % (words + REGISTER_COUNT);
            if (place < words)
                memcpy(copy.stack + place * 8, &value, 8);
            else if (place - words != REGISTER_RSP)
                snapshot->registers[place - words] = value;
        }
        size_t count = walk_stack();
        ck_assert_uint_ge(count, 1);
        ck_assert_uint_le(count, MAX_FRAMES);
        if (round % 8 == 0)
            libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
    }
}
END_TEST

START_TEST(random_registers_and_sizes_are_survived)
{
    uint64_t random = 88172645463325252;
    snapshot->stack = copy.stack;
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < REGISTER_COUNT; i++)
            snapshot->registers[i] = next_random(&random) >> (next_random(&random) % 64);
        snapshot->stack_start =
            next_random(&random) % 2 ? snapshot->registers[REGISTER_RSP] : next_random(&random);
        snapshot->stack_bytes = next_random(&random) % (SNAPSHOT_STACK_BYTES + 1);
        if (next_random(&random) % 2)
            snapshot->registers[REGISTER_RIP] =
                (uint64_t)(uintptr_t)&labs + next_random(&random) % 100000;
        size_t count = walk_stack();
        ck_assert_uint_ge(count, 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.hostile_stacks");
    TCase *stacks = tcase_create("stacks");
    tcase_add_checked_fixture(stacks, setup, teardown);
    tcase_set_timeout(stacks, 60);
    tcase_add_loop_test(stacks, any_bytes_in_the_copy_are_survived, 0, 4);
    tcase_add_test(stacks, random_registers_and_sizes_are_survived);
    suite_add_tcase(suite, stacks);
    return run_suite(suite);
}
