/* The reader of .eh_frame: against hand-made tables, libc's own, and damaged ones. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/module_tables.h"
#include "child-agent/unwinding/modules.h"
#include "tests/unit/run_suite.h"

enum {
    CODE_ADDRESS = 0x10000, /* of the one function */
    CODE_BYTES = 0x100,
    HEADER_ADDRESS = 0x40000,
    FRAMES_ADDRESS = 0x41000,
    RBX = 3,
};

/* --- Tables made by hand --- */

struct made {
    uint8_t header[64];
    size_t header_bytes;
    uint8_t frames[512];
    size_t frames_bytes;
};

static void put_bytes(uint8_t *to, size_t *at, const void *bytes, size_t count)
{
    if (count > 0)
        memcpy(to + *at, bytes, count);
    *at += count;
}

static void put_u32(uint8_t *to, size_t *at, uint32_t value)
{
    put_bytes(to, at, &value, sizeof(value));
}

/* A CIE with AUGMENTATION "zR" or "zRS" (CFA = rsp + 8, return address at CFA - 8), and one FDE. */
static void make_tables(struct made *made, const char *augmentation, const uint8_t *operations,
                        size_t count)
{
    static const uint8_t cie_tail[] = {
        1,    0x78, 16, /* alignments 1 and -8, return address column */
        1,    0x1b,     /* augmentation data: pcrel sdata4 */
        0x0c, 7,    8,  /* def_cfa rsp + 8 */
        0x90, 1,        /* rip at CFA - 8 */
    };
    uint8_t *out = made->frames;
    size_t at = 0;
    memset(made, 0, sizeof(*made));
    put_u32(out, &at, (uint32_t)(4 + 1 + strlen(augmentation) + 1 + sizeof(cie_tail)));
    put_u32(out, &at, 0);
    put_bytes(out, &at, "\1", 1);
    put_bytes(out, &at, augmentation, strlen(augmentation) + 1);
    put_bytes(out, &at, cie_tail, sizeof(cie_tail));
    size_t fde = at;
    put_u32(out, &at, (uint32_t)(4 + 4 + 4 + 1 + count));
    put_u32(out, &at, (uint32_t)at);
    put_u32(out, &at, (uint32_t)(CODE_ADDRESS - (FRAMES_ADDRESS + (int)at)));
    put_u32(out, &at, CODE_BYTES);
    put_bytes(out, &at, "", 1);
    put_bytes(out, &at, operations, count);
    made->frames_bytes = at;

    static const uint8_t encodings[] = { 1, 0x1b, 0x03, 0x3b };
    at = 0;
    put_bytes(made->header, &at, encodings, sizeof(encodings));
    put_u32(made->header, &at, FRAMES_ADDRESS - (HEADER_ADDRESS + 4));
    put_u32(made->header, &at, 1);
    put_u32(made->header, &at, (uint32_t)(CODE_ADDRESS - HEADER_ADDRESS));
    put_u32(made->header, &at, (uint32_t)(FRAMES_ADDRESS + fde - HEADER_ADDRESS));
    made->header_bytes = at;
}

static int find_row(const struct made *made, uint64_t address, struct frame_row *row)
{
    const struct frame_tables tables = { made->header, made->header_bytes, HEADER_ADDRESS,
                                         made->frames, made->frames_bytes, FRAMES_ADDRESS };
    return frame_tables_find_row(&tables, address, RBX, row);
}

#define OPERATIONS(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static const struct {
    const char *what;
    uint8_t operations[24];
    size_t count;
    uint32_t offset; /* in the function */
    int error;
    uint32_t cfa_register;
    int64_t cfa_offset;
    enum register_place rbp;
    int64_t rbp_offset;
} rows[] = {
    { "the CIE's row at the start", OPERATIONS(0x41, 0x0e, 16), 0, 0, 7, 8, REGISTER_SAME, 0 },
    { "an advance ends at its address", OPERATIONS(0x44, 0x0e, 16), 3, 0, 7, 8, REGISTER_SAME, 0 },
    { "push rbp", OPERATIONS(0x41, 0x0e, 16, 0x86, 2), 1, 0, 7, 16, REGISTER_AT_OFFSET, -16 },
    { "mov rsp, rbp", OPERATIONS(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6), 4, 0, 6, 16,
      REGISTER_AT_OFFSET, -16 },
    { "one-byte advance", OPERATIONS(0x02, 200, 0x0e, 32), 200, 0, 7, 32, REGISTER_SAME, 0 },
    { "two-byte advance", OPERATIONS(0x03, 4, 0, 0x0e, 32), 4, 0, 7, 32, REGISTER_SAME, 0 },
    { "four-byte advance", OPERATIONS(0x04, 4, 0, 0, 0, 0x0e, 32), 3, 0, 7, 8, REGISTER_SAME, 0 },
    { "two bytes of LEB128", OPERATIONS(0x0e, 0x88, 0x10), 0, 0, 7, 2056, REGISTER_SAME, 0 },
    { "offset_extended", OPERATIONS(0x05, 6, 3), 0, 0, 7, 8, REGISTER_AT_OFFSET, -24 },
    { "offset_extended_sf", OPERATIONS(0x11, 6, 0x7e), 0, 0, 7, 8, REGISTER_AT_OFFSET, 16 },
    { "def_cfa_sf", OPERATIONS(0x12, 6, 0x7e), 0, 0, 6, 16, REGISTER_SAME, 0 },
    { "def_cfa_offset_sf", OPERATIONS(0x13, 0x7c), 0, 0, 7, 32, REGISTER_SAME, 0 },
    { "same value", OPERATIONS(0x86, 2, 0x08, 6), 0, 0, 7, 8, REGISTER_SAME, 0 },
    { "undefined", OPERATIONS(0x07, 6), 0, 0, 7, 8, REGISTER_UNDEFINED, 0 },
    { "in another register", OPERATIONS(0x09, 6, 3), 0, 0, 7, 8, REGISTER_IN_REGISTER, 0 },
    { "a computed value", OPERATIONS(0x14, 6, 3), 0, 0, 7, 8, REGISTER_ELSEWHERE, 0 },
    { "an expression's value", OPERATIONS(0x16, 6, 1, 0x30), 0, 0, 7, 8, REGISTER_ELSEWHERE, 0 },
    { "restore goes back to the CIE", OPERATIONS(0x86, 2, 0xc6), 0, 0, 7, 8, REGISTER_SAME, 0 },
    { "restore_extended", OPERATIONS(0x86, 2, 0x06, 6), 0, 0, 7, 8, REGISTER_SAME, 0 },
    { "restore_state brings back CFA and registers",
      OPERATIONS(0x86, 2, 0x0e, 16, 0x0a, 0xc6, 0x0e, 8, 0x42, 0x0b), 2, 0, 7, 16,
      REGISTER_AT_OFFSET, -16 },
    { "args_size and padding", OPERATIONS(0x2e, 0x10, 0, 0, 0x0e, 24), 0, 0, 7, 24, REGISTER_SAME,
      0 },
    { "another register is of no interest", OPERATIONS(0x8c, 2, 0xcc), 0, 0, 7, 8, REGISTER_SAME,
      0 },
    { "nothing covers what is behind the function", OPERATIONS(0), CODE_BYTES, -ENOENT, 0, 0,
      REGISTER_SAME, 0 },
    { "unknown operation", OPERATIONS(0x3f), 0, -ENOTSUP, 0, 0, REGISTER_SAME, 0 },
    { "restore_state without remember", OPERATIONS(0x0b), 0, -EINVAL, 0, 0, REGISTER_SAME, 0 },
    { "too many remembered", OPERATIONS(10, 10, 10, 10, 10, 10, 10, 10, 10), 0, -ENOTSUP, 0, 0,
      REGISTER_SAME, 0 },
    { "operand cut off", OPERATIONS(0x0e), 0, -EINVAL, 0, 0, REGISTER_SAME, 0 },
    { "expression cut off", OPERATIONS(0x0f, 9, 0x30), 0, -EINVAL, 0, 0, REGISTER_SAME, 0 },
    { "LEB128 without end",
      OPERATIONS(0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80), 0,
      -EINVAL, 0, 0, REGISTER_SAME, 0 },
};

START_TEST(operations_make_rows)
{
    struct made made;
    struct frame_row row;
    make_tables(&made, "zR", rows[_i].operations, rows[_i].count);
    int error = find_row(&made, CODE_ADDRESS + rows[_i].offset, &row);
    ck_assert_msg(error == rows[_i].error, "%s: %d", rows[_i].what, error);
    if (error != 0)
        return;
    ck_assert_msg(!row.is_cfa_expression && row.cfa_register == rows[_i].cfa_register &&
                      row.cfa_offset == rows[_i].cfa_offset && row.rbp.place == rows[_i].rbp &&
                      row.rbp.offset == rows[_i].rbp_offset,
                  "%s", rows[_i].what);
    if (row.rbp.place == REGISTER_IN_REGISTER)
        ck_assert_uint_eq(row.rbp.number, RBX);
    ck_assert_int_eq(row.return_address.place, REGISTER_AT_OFFSET);
    ck_assert_int_eq(row.return_address.offset, -8);
}
END_TEST

START_TEST(expressions_are_found_in_the_tables)
{
    static const uint8_t operations[] = { 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0 };
    struct made made;
    struct frame_row row;
    make_tables(&made, "zR", operations, sizeof(operations));
    ck_assert_int_eq(find_row(&made, CODE_ADDRESS, &row), 0);
    ck_assert(row.is_cfa_expression);
    ck_assert_uint_eq(row.cfa_expression.count, 3);
    ck_assert_mem_eq(row.cfa_expression.bytes, operations + 2, 3);
    ck_assert_int_eq(row.rbp.place, REGISTER_AT_EXPRESSION);
    ck_assert_mem_eq(row.rbp.expression.bytes, operations + 8, 2);
}
END_TEST

START_TEST(the_register_asked_for_is_followed)
{
    static const uint8_t operations[] = { 0x83, 5 };
    struct made made;
    struct frame_row row;
    make_tables(&made, "zR", operations, sizeof(operations));
    ck_assert_int_eq(find_row(&made, CODE_ADDRESS, &row), 0);
    ck_assert_int_eq(row.other.place, REGISTER_AT_OFFSET);
    ck_assert_int_eq(row.other.offset, -40);
}
END_TEST

START_TEST(an_undefined_return_address_is_told)
{
    static const uint8_t operations[] = { 0x07, 16 };
    struct made made;
    struct frame_row row;
    make_tables(&made, "zR", operations, sizeof(operations));
    ck_assert_int_eq(find_row(&made, CODE_ADDRESS, &row), 0);
    ck_assert_int_eq(row.return_address.place, REGISTER_UNDEFINED);
    ck_assert(!row.is_signal_frame);
}
END_TEST

START_TEST(signal_frames_are_told)
{
    struct made made;
    struct frame_row row;
    make_tables(&made, "zRS", NULL, 0);
    ck_assert_int_eq(find_row(&made, CODE_ADDRESS, &row), 0);
    ck_assert(row.is_signal_frame);
}
END_TEST

START_TEST(unknown_augmentations_are_not_guessed_at)
{
    static const char *const augmentations[] = { "zX", "eh", "zRX" };
    struct made made;
    struct frame_row row;
    make_tables(&made, augmentations[_i], NULL, 0);
    ck_assert_int_eq(find_row(&made, CODE_ADDRESS, &row), -ENOTSUP);
}
END_TEST

START_TEST(headers_without_a_search_table_have_no_rows)
{
    static const struct {
        size_t at;
        uint8_t value;
    } changes[] = {
        { 0, 2 }, { 1, 0xff }, { 2, 0xff }, { 3, 0xff }, { 3, 0x1b }, { 8, 0 }, { 8, 2 }
    };
    struct made made;
    struct frame_row row;
    make_tables(&made, "zR", NULL, 0);
    made.header[changes[_i].at] = changes[_i].value;
    ck_assert_int_eq(find_row(&made, CODE_ADDRESS, &row), -ENOENT);
}
END_TEST

START_TEST(tables_cut_off_anywhere_are_survived)
{
    static const uint8_t operations[] = { 0x41, 0x0e, 16, 0x86, 2 };
    struct made made;
    struct frame_row row;
    make_tables(&made, "zR", operations, sizeof(operations));
    for (size_t kept = 0; kept < made.frames_bytes; kept++) {
        struct made cut = made;
        uint8_t *exact = malloc(kept + 1); /* the sanitizer watches its end */
        memcpy(exact, made.frames, kept);
        const struct frame_tables tables = { cut.header, cut.header_bytes, HEADER_ADDRESS, exact,
                                             kept,       FRAMES_ADDRESS };
        ck_assert_int_lt(frame_tables_find_row(&tables, CODE_ADDRESS + 9, RBX, &row), 0);
        free(exact);
    }
    for (size_t kept = 0; kept < made.header_bytes; kept++) {
        const struct frame_tables tables = { made.header,       kept,
                                             HEADER_ADDRESS,    made.frames,
                                             made.frames_bytes, FRAMES_ADDRESS };
        ck_assert_int_lt(frame_tables_find_row(&tables, CODE_ADDRESS + 9, RBX, &row), 0);
    }
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

static void *copy_of(const void *bytes, size_t count)
{
    void *copy = malloc(count);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, count);
    return copy;
}

static struct module_map *modules;

static const struct module *own_libc(void)
{
    ck_assert_int_eq(module_map_create(NULL, &modules), 0);
    const struct module *module = module_map_find(modules, (uint64_t)(uintptr_t)&labs);
    ck_assert_ptr_nonnull(module);
    ck_assert_ptr_nonnull(module->eh_frame_header);
    return module;
}

START_TEST(libc_has_a_row_nearly_everywhere)
{
    const struct module *module = own_libc();
    size_t found = 0, wanted = 0;
    for (uint64_t address = (uint64_t)(uintptr_t)&labs; wanted < 100 * 1000; address += 3) {
        struct frame_row row;
        int error = module_find_row(module, address, RBX, &row);
        ck_assert(error == 0 || error == -ENOENT); /* between functions */
        found += error == 0;
        wanted++;
    }
    ck_assert_uint_gt(found, wanted * 8 / 10);
    module_map_destroy(modules);
}
END_TEST

START_TEST(damaged_tables_are_survived)
{
    const struct module *module = own_libc();
    uint64_t random = 88172645463325252 + (uint64_t)_i;
    uint64_t code = (uint64_t)(uintptr_t)&labs;
    uint8_t *frames = copy_of(module->eh_frame, module->eh_frame_bytes);
    uint8_t *header = copy_of(module->eh_frame_header, module->eh_frame_header_bytes);
    struct frame_tables tables = module_tables(module);
    tables.frames = frames;
    tables.header = header;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 1000; i++)
            frames[next_random(&random) % module->eh_frame_bytes] = (uint8_t)next_random(&random);
        header[next_random(&random) % module->eh_frame_header_bytes] =
            (uint8_t)next_random(&random);
        for (int i = 0; i < 300; i++) {
            struct frame_row row;
            frame_tables_find_row(&tables, code + next_random(&random) % 500000, RBX, &row);
        }
        memcpy(header, module->eh_frame_header, 12);
    }
    free(frames);
    free(header);
    module_map_destroy(modules);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.call_frame_info");
    TCase *made = tcase_create("made by hand");
    tcase_add_loop_test(made, operations_make_rows, 0, sizeof(rows) / sizeof(rows[0]));
    tcase_add_test(made, expressions_are_found_in_the_tables);
    tcase_add_test(made, the_register_asked_for_is_followed);
    tcase_add_test(made, an_undefined_return_address_is_told);
    tcase_add_test(made, signal_frames_are_told);
    tcase_add_loop_test(made, unknown_augmentations_are_not_guessed_at, 0, 3);
    tcase_add_loop_test(made, headers_without_a_search_table_have_no_rows, 0, 7);
    tcase_add_test(made, tables_cut_off_anywhere_are_survived);
    suite_add_tcase(suite, made);
    TCase *real = tcase_create("libc's");
    tcase_set_timeout(real, 60);
    tcase_add_test(real, libc_has_a_row_nearly_everywhere);
    tcase_add_loop_test(real, damaged_tables_are_survived, 0, 4);
    suite_add_tcase(suite, real);
    return run_suite(suite);
}
