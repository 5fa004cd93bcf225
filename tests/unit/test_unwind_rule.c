/* Compact rules made of rows, expressions, and the cache of rules. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/unwinding/frame_expression.h"
#include "child-agent/unwinding/unwind_rule.h"
#include "tests/unit/run_suite.h"

enum { RSP = 7, RBP = 6, R10 = 10, PC = 0x401000 };

/* --- Expressions --- */

#define BYTES(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

/* The stub of a procedure linkage table: rsp + 8, and 8 more from byte 11 of the stub on. */
#define LINKAGE_STUB 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22

static const struct {
    const char *what;
    uint8_t bytes[24];
    size_t count;
    uint64_t pc;
    bool is_known;
    enum value_form form;
    uint32_t number;
    int64_t offset, addend;
} expressions[] = {
    { "register + offset", BYTES(0x77, 8), PC, true, VALUE_REGISTER, RSP, 8, 0 },
    { "negative offset", BYTES(0x76, 0x78), PC, true, VALUE_REGISTER, RBP, -8, 0 },
    { "word at register", BYTES(0x76, 0x78, 0x06), PC, true, VALUE_AT_REGISTER, RBP, -8, 0 },
    { "stub, before the push", BYTES(LINKAGE_STUB), PC + 10, true, VALUE_REGISTER, RSP, 8, 0 },
    { "stub, after the push", BYTES(LINKAGE_STUB), PC + 11, true, VALUE_REGISTER, RSP, 16, 0 },
    { "constant + register", BYTES(0x34, 0x77, 0, 0x22), PC, true, VALUE_REGISTER, RSP, 4, 0 },
    { "register - constant", BYTES(0x77, 16, 0x08, 4, 0x1c), PC, true, VALUE_REGISTER, RSP, 12, 0 },
    { "plus_uconst", BYTES(0x77, 0, 0x23, 0x80, 1), PC, true, VALUE_REGISTER, RSP, 128, 0 },
    { "signed byte", BYTES(0x09, 0xff), PC, true, VALUE_CONSTANT, 0, -1, 0 },
    { "two bytes", BYTES(0x0a, 0xff, 0xff), PC, true, VALUE_CONSTANT, 0, 65535, 0 },
    { "four signed bytes", BYTES(0x0d, 0xfe, 0xff, 0xff, 0xff), PC, true, VALUE_CONSTANT, 0, -2,
      0 },
    { "shift by too much", BYTES(0x31, 0x08, 200, 0x24), PC, true, VALUE_CONSTANT, 0, 0, 0 },
    { "word at register + constant", BYTES(0x77, 0x98, 1, 0x06, 0x23, 8), PC, true,
      VALUE_AT_REGISTER, RSP, 152, 8 },
    { "shifted register", BYTES(0x77, 0, 0x31, 0x24), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "sum of registers", BYTES(0x77, 0, 0x76, 0, 0x22), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "constant - register", BYTES(0x34, 0x77, 0, 0x1c), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "word at a word", BYTES(0x76, 0, 0x06, 0x06), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "word at a constant", BYTES(0x34, 0x06), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "nothing on the stack", BYTES(0x22), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "too much on the stack", BYTES(0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30), PC,
      false, VALUE_CONSTANT, 0, 0, 0 },
    { "cut off", BYTES(0x0c, 1, 2), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "unknown operation", BYTES(0x30, 0x30, 0xff), PC, false, VALUE_CONSTANT, 0, 0, 0 },
    { "empty", { 0 }, 0, PC, false, VALUE_CONSTANT, 0, 0, 0 },
};

START_TEST(expressions_have_values)
{
    struct frame_value value;
    struct frame_expression expression = { expressions[_i].bytes, expressions[_i].count };
    bool is_known = frame_expression_evaluate(expression, expressions[_i].pc, &value);
    ck_assert_msg(is_known == expressions[_i].is_known, "%s", expressions[_i].what);
    if (is_known)
        ck_assert_msg(
            value.form == expressions[_i].form && value.number == expressions[_i].number &&
                value.offset == expressions[_i].offset && value.addend == expressions[_i].addend,
            "%s", expressions[_i].what);
}
END_TEST

START_TEST(random_expressions_are_survived)
{
    uint64_t random = 88172645463325252;
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[16];
        struct frame_value value;
        for (size_t i = 0; i < sizeof(bytes); i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            bytes[i] = (uint8_t)random;
        }
        size_t count = random >> 60;
        uint8_t *exact = malloc(count + 1);
        memcpy(exact, bytes, count);
        frame_expression_evaluate((struct frame_expression){ exact, count }, random, &value);
        free(exact);
    }
}
END_TEST

/* --- Rules of rows --- */

static const uint8_t at_rbp_minus_8[] = { 0x76, 0x78, 0x06 };
static const uint8_t rbp_itself[] = { 0x76, 0 };
static const uint8_t at_rsp_152_plus_8[] = { 0x77, 0x98, 1, 0x06, 0x23, 8 };
static const uint8_t at_rsp_plus_4[] = { 0x77, 0, 0x06, 0x23, 4 };
static const uint8_t sum_of_registers[] = { 0x77, 0, 0x76, 0, 0x22 };

#define RETURN_AT_CFA_8                                                                            \
    {                                                                                              \
        .place = REGISTER_AT_OFFSET, .offset = -8                                                  \
    }

static const struct {
    const char *what;
    struct frame_row row;
    struct unwind_rule rule;
} rules[] = {
    { "rsp",
      { .cfa_register = RSP, .cfa_offset = 24, .return_address = RETURN_AT_CFA_8 },
      { 24, RULE_RBP_UNCHANGED, RULE_RSP, 0 } },
    { "rsp with rbp saved",
      { .cfa_register = RSP,
        .cfa_offset = 32,
        .rbp = { .place = REGISTER_AT_OFFSET, .offset = -24 },
        .return_address = RETURN_AT_CFA_8 },
      { 32, -24, RULE_RSP, 0 } },
    { "rbp",
      { .cfa_register = RBP,
        .cfa_offset = 16,
        .rbp = { .place = REGISTER_AT_OFFSET, .offset = -16 },
        .return_address = RETURN_AT_CFA_8 },
      { 16, -16, RULE_RBP, 0 } },
    { "realigned",
      { .is_cfa_expression = true,
        .cfa_expression = { at_rbp_minus_8, sizeof(at_rbp_minus_8) },
        .rbp = { .place = REGISTER_AT_EXPRESSION, .expression = { rbp_itself, 2 } },
        .return_address = RETURN_AT_CFA_8 },
      { -8, 0, RULE_AT_RBP, RULE_RBP_RELATIVE_TO_RBP } },
    { "realigned, rsp kept from before the pushes",
      { .is_cfa_expression = true,
        .cfa_expression = { at_rsp_152_plus_8, sizeof(at_rsp_152_plus_8) },
        .rbp = { .place = REGISTER_AT_OFFSET, .offset = -24 },
        .return_address = RETURN_AT_CFA_8 },
      { 152, -24, RULE_AT_RSP, 1 } },
    { "an addend that is no word",
      { .is_cfa_expression = true,
        .cfa_expression = { at_rsp_plus_4, sizeof(at_rsp_plus_4) },
        .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "realigning",
      { .cfa_register = R10, .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_REGISTER, R10 } },
    { "realigned, at its return",
      { .cfa_register = RSP,
        .cfa_offset = 8,
        .rbp = { .place = REGISTER_AT_EXPRESSION, .expression = { rbp_itself, 2 } },
        .return_address = RETURN_AT_CFA_8 },
      { 8, 0, RULE_REGISTER, RSP | RULE_RBP_RELATIVE_TO_RBP } },
    { "root",
      { .cfa_register = RSP, .cfa_offset = 8, .return_address = { .place = REGISTER_UNDEFINED } },
      { 8, RULE_RBP_UNCHANGED, RULE_ROOT, 0 } },
    { "return address elsewhere",
      { .cfa_register = RSP, .return_address = { .place = REGISTER_AT_OFFSET, .offset = -16 } },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "return address in a register",
      { .cfa_register = RSP, .return_address = { .place = REGISTER_ELSEWHERE } },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "rbp lost",
      { .cfa_register = RSP,
        .rbp = { .place = REGISTER_UNDEFINED },
        .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "rbp where the return address is",
      { .cfa_register = RSP,
        .rbp = { .place = REGISTER_AT_OFFSET, .offset = -8 },
        .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "rbp too far away",
      { .cfa_register = RSP,
        .rbp = { .place = REGISTER_AT_OFFSET, .offset = -32776 },
        .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "frame too large",
      { .cfa_register = RSP, .cfa_offset = 1LL << 31, .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "no general register",
      { .cfa_register = 17, .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
    { "an expression too hard",
      { .is_cfa_expression = true,
        .cfa_expression = { sum_of_registers, sizeof(sum_of_registers) },
        .return_address = RETURN_AT_CFA_8 },
      { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 } },
};

START_TEST(rows_become_rules)
{
    struct unwind_rule rule = unwind_rule_from_row(&rules[_i].row, PC);
    const struct unwind_rule *expected = &rules[_i].rule;
    ck_assert_msg(rule.kind == expected->kind && rule.cfa_offset == expected->cfa_offset &&
                      rule.rbp_offset == expected->rbp_offset && rule.detail == expected->detail,
                  "%s: kind %d, offsets %d %d, detail %d", rules[_i].what, rule.kind,
                  rule.cfa_offset, rule.rbp_offset, rule.detail);
}
END_TEST

START_TEST(signal_frames_are_rules_of_their_own)
{
    const struct frame_row row = { .is_signal_frame = true, .cfa_register = RSP };
    ck_assert_int_eq(unwind_rule_from_row(&row, PC).kind, RULE_SIGNAL);
}
END_TEST

/* --- The cache --- */

static struct rule_cache *cache;

static void setup(void)
{
    cache = aligned_alloc(64, sizeof(*cache));
    ck_assert_ptr_nonnull(cache);
    memset(cache, 0, sizeof(*cache));
    rule_cache_forget(cache);
}

static void teardown(void)
{
    free(cache);
}

static struct unwind_rule rule_number(int32_t number)
{
    return (struct unwind_rule){ number, RULE_RBP_UNCHANGED, RULE_RSP, 0 };
}

static bool has_rule(uint64_t address)
{
    struct unwind_rule rule;
    return rule_cache_find(cache, rule_cache_tag(cache), address, &rule);
}

static struct unwind_rule rule_at(uint64_t address)
{
    struct unwind_rule rule;
    ck_assert(rule_cache_find(cache, rule_cache_tag(cache), address, &rule));
    return rule;
}

static void insert_rule(uint64_t address, struct unwind_rule rule)
{
    rule_cache_insert(cache, rule_cache_tag(cache), address, rule);
}

START_TEST(a_rule_takes_16_bytes_with_its_key)
{
    ck_assert_uint_eq(sizeof(struct cached_rule), 16);
}
END_TEST

START_TEST(an_empty_cache_has_nothing_at_any_address)
{
    static const uint64_t addresses[] = {
        0, 1, PC, UINT64_MAX, (uint64_t)1 << 47, (uint64_t)1 << 48
    };
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
        ck_assert(!has_rule(addresses[i]));
}
END_TEST

static size_t pages_touched(void)
{
    static const struct rule_set none;
    enum { SETS_OF_A_PAGE = 4096 / sizeof(struct rule_set) };
    size_t touched = 0, last_page = SIZE_MAX;
    for (size_t i = 0; i < (size_t)1 << RULE_SET_BITS; i++) {
        if (i / SETS_OF_A_PAGE == last_page || memcmp(&cache->sets[i], &none, sizeof(none)) == 0)
            continue;
        last_page = i / SETS_OF_A_PAGE;
        touched++;
    }
    return touched;
}

START_TEST(what_was_put_in_is_found)
{
    for (int32_t i = 0; i < 100; i++)
        insert_rule(PC + 5 * (uint64_t)i, rule_number(i));
    for (int32_t i = 0; i < 100; i++)
        ck_assert_int_eq(rule_at(PC + 5 * (uint64_t)i).cfa_offset, i);
    ck_assert(!has_rule(PC + 1));
    ck_assert_uint_le(pages_touched(), 2);
}
END_TEST

START_TEST(it_grows_with_what_is_put_in)
{
    for (int32_t round = 0; round < 3; round++) {
        for (int32_t i = 0; i < 2000; i++)
            if (!has_rule(PC + 5 * (uint64_t)i))
                insert_rule(PC + 5 * (uint64_t)i, rule_number(i));
    }
    for (int32_t i = 0; i < 2000; i++)
        ck_assert_int_eq(rule_at(PC + 5 * (uint64_t)i).cfa_offset, i);
}
END_TEST

START_TEST(of_three_in_a_set_the_oldest_goes)
{
    const uint64_t first = PC;
    uint64_t same[3] = { first };
    size_t found = 1;
    for (uint64_t address = first + 1; found < 3; address++) {
        if (rule_set_index(cache, address) == rule_set_index(cache, first))
            same[found++] = address;
    }
    for (int32_t i = 0; i < 3; i++)
        insert_rule(same[i], rule_number(i));
    ck_assert(!has_rule(same[0]));
    ck_assert_int_eq(rule_at(same[1]).cfa_offset, 1);
    ck_assert_int_eq(rule_at(same[2]).cfa_offset, 2);
}
END_TEST

START_TEST(what_was_forgotten_never_comes_back)
{
    insert_rule(PC, rule_number(1));
    for (int i = 0; i < 70000; i++) { /* more than there are tags */
        rule_cache_forget(cache);
        ck_assert(!has_rule(PC));
    }
    insert_rule(PC, rule_number(2));
    ck_assert_int_eq(rule_at(PC).cfa_offset, 2);
}
END_TEST

/* Two threads write different rules into the places of the same addresses. */
static void *insert_rules(void *context)
{
    int32_t first = *(int32_t *)context;
    for (int round = 0; round < 2000; round++) {
        for (uint64_t i = 0; i < 64; i++)
            insert_rule(PC + i * (1 << RULE_SET_BITS), rule_number(first + (int32_t)i));
    }
    return NULL;
}

START_TEST(a_rule_that_is_found_is_of_its_address_whoever_writes)
{
    int32_t firsts[] = { 1000, 2000 };
    pthread_t writers[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&writers[i], NULL, insert_rules, &firsts[i]), 0);
    for (int round = 0; round < 2000; round++) {
        for (int32_t i = 0; i < 64; i++) {
            struct unwind_rule rule;
            if (rule_cache_find(cache, rule_cache_tag(cache),
                                PC + (uint64_t)i * (1 << RULE_SET_BITS), &rule))
                ck_assert_int_eq(rule.cfa_offset % 1000, i);
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(writers[i], NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.unwind_rule");
    TCase *making = tcase_create("making");
    tcase_add_loop_test(making, expressions_have_values, 0,
                        sizeof(expressions) / sizeof(expressions[0]));
    tcase_add_test(making, random_expressions_are_survived);
    tcase_add_loop_test(making, rows_become_rules, 0, sizeof(rules) / sizeof(rules[0]));
    tcase_add_test(making, signal_frames_are_rules_of_their_own);
    suite_add_tcase(suite, making);
    TCase *caching = tcase_create("caching");
    tcase_add_checked_fixture(caching, setup, teardown);
    tcase_add_test(caching, a_rule_takes_16_bytes_with_its_key);
    tcase_add_test(caching, an_empty_cache_has_nothing_at_any_address);
    tcase_add_test(caching, what_was_put_in_is_found);
    tcase_add_test(caching, it_grows_with_what_is_put_in);
    tcase_add_test(caching, of_three_in_a_set_the_oldest_goes);
    tcase_add_test(caching, what_was_forgotten_never_comes_back);
    tcase_add_test(caching, a_rule_that_is_found_is_of_its_address_whoever_writes);
    suite_add_tcase(suite, caching);
    return run_suite(suite);
}
