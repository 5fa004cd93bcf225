#include <check.h>
#include <errno.h>
#include <msgpack.h>
#include <string.h>

#include "ipc/msgpack_cursor.h"
#include "tests/unit/run_suite.h"

static uint64_t random_state;

/* A fixed sequence of good quality (splitmix64), the same in every run. */
static uint64_t random_number(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static const struct {
    const char *name;
    uint8_t bytes[12];
    size_t count;
    enum msgpack_item_type type;
    uint64_t number;
} good[] = {
    { "fixed 0", { 0x00 }, 1, MSGPACK_ITEM_POSITIVE, 0 },
    { "fixed 127", { 0x7f }, 1, MSGPACK_ITEM_POSITIVE, 127 },
    { "8 bits", { 0xcc, 0xff }, 2, MSGPACK_ITEM_POSITIVE, 255 },
    { "16 bits", { 0xcd, 0x12, 0x34 }, 3, MSGPACK_ITEM_POSITIVE, 0x1234 },
    { "32 bits", { 0xce, 0xff, 0, 0, 1 }, 5, MSGPACK_ITEM_POSITIVE, 0xff000001 },
    { "64 bits",
      { 0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
      9,
      MSGPACK_ITEM_POSITIVE,
      UINT64_MAX },
    { "fixed -1", { 0xff }, 1, MSGPACK_ITEM_NEGATIVE, (uint64_t)-1 },
    { "fixed -32", { 0xe0 }, 1, MSGPACK_ITEM_NEGATIVE, (uint64_t)-32 },
    { "signed 8 bits", { 0xd0, 0x80 }, 2, MSGPACK_ITEM_NEGATIVE, (uint64_t)-128 },
    { "signed 16 bits", { 0xd1, 0x80, 0 }, 3, MSGPACK_ITEM_NEGATIVE, (uint64_t)INT16_MIN },
    { "signed 32 bits", { 0xd2, 0x80, 0, 0, 0 }, 5, MSGPACK_ITEM_NEGATIVE, (uint64_t)INT32_MIN },
    { "signed 64 bits",
      { 0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0 },
      9,
      MSGPACK_ITEM_NEGATIVE,
      (uint64_t)INT64_MIN },
    { "signed but positive", { 0xd1, 0, 5 }, 3, MSGPACK_ITEM_POSITIVE, 5 },
    { "fixed string", { 0xa2, 'h', 'i' }, 3, MSGPACK_ITEM_STRING, 2 },
    { "empty string", { 0xa0 }, 1, MSGPACK_ITEM_STRING, 0 },
    { "string 8", { 0xd9, 1, 'x' }, 3, MSGPACK_ITEM_STRING, 1 },
    { "string 16", { 0xda, 0, 1, 'x' }, 4, MSGPACK_ITEM_STRING, 1 },
    { "string 32", { 0xdb, 0, 0, 0, 1, 'x' }, 6, MSGPACK_ITEM_STRING, 1 },
    { "fixed array", { 0x93 }, 1, MSGPACK_ITEM_ARRAY, 3 },
    { "array 16", { 0xdc, 1, 0 }, 3, MSGPACK_ITEM_ARRAY, 256 },
    { "array 32 of very many",
      { 0xdd, 0xff, 0xff, 0xff, 0xff },
      5,
      MSGPACK_ITEM_ARRAY,
      UINT32_MAX },
};

START_TEST(an_item_is_taken_with_its_type_and_number)
{
    struct msgpack_cursor cursor = { good[_i].bytes, good[_i].bytes + good[_i].count };
    struct msgpack_item item;
    ck_assert_msg(msgpack_cursor_take(&cursor, &item) == 0, "%s", good[_i].name);
    ck_assert_msg(item.type == good[_i].type, "%s", good[_i].name);
    ck_assert_msg(item.number == good[_i].number, "%s", good[_i].name);
    ck_assert_msg(cursor.next == cursor.end, "%s", good[_i].name);
}
END_TEST

START_TEST(an_item_that_is_cut_anywhere_is_refused)
{
    for (size_t count = 0; count < good[_i].count; count++) {
        struct msgpack_cursor cursor = { good[_i].bytes, good[_i].bytes + count };
        struct msgpack_item item;
        ck_assert_msg(msgpack_cursor_take(&cursor, &item) == -EPROTO, "%s", good[_i].name);
        ck_assert_ptr_eq(cursor.next, good[_i].bytes);
    }
}
END_TEST

static const uint8_t foreign[] = { 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9,
                                   0xca, 0xcb, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xde, 0xdf, 0x80 };

START_TEST(items_that_no_message_has_are_refused)
{
    uint8_t bytes[32] = { foreign[_i] };
    struct msgpack_cursor cursor = { bytes, bytes + sizeof(bytes) };
    struct msgpack_item item;
    ck_assert_int_eq(msgpack_cursor_take(&cursor, &item), -EPROTO);
}
END_TEST

static void check_against(const msgpack_object *object, const struct msgpack_item *item)
{
    switch (object->type) {
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        ck_assert_int_eq(item->type, MSGPACK_ITEM_POSITIVE);
        ck_assert_uint_eq(item->number, object->via.u64);
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        ck_assert_int_eq(item->type, MSGPACK_ITEM_NEGATIVE);
        ck_assert_int_eq((int64_t)item->number, object->via.i64);
        break;
    case MSGPACK_OBJECT_STR:
        ck_assert_int_eq(item->type, MSGPACK_ITEM_STRING);
        ck_assert_uint_eq(item->number, object->via.str.size);
        if (item->number > 0)
            ck_assert_ptr_eq(item->bytes, object->via.str.ptr);
        break;
    default:
        ck_abort_msg("taken, but not by msgpack-c");
    }
}

START_TEST(random_items_are_read_as_msgpack_c_reads_them)
{
    random_state = 20;
    unsigned compared = 0;
    for (int turn = 0; turn < 50000; turn++) {
        uint8_t bytes[24];
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)random_number();
        struct msgpack_cursor cursor = { bytes, bytes + random_number() % (sizeof(bytes) + 1) };
        struct msgpack_item item;
        size_t count = (size_t)(cursor.end - bytes), read = 0;
        if (msgpack_cursor_take(&cursor, &item) < 0 || item.type == MSGPACK_ITEM_ARRAY)
            continue;
        msgpack_unpacked unpacked;
        msgpack_unpacked_init(&unpacked);
        msgpack_unpack_return result =
            msgpack_unpack_next(&unpacked, (const char *)bytes, count, &read);
        ck_assert(result == MSGPACK_UNPACK_SUCCESS || result == MSGPACK_UNPACK_EXTRA_BYTES);
        ck_assert_uint_eq(read, (size_t)(cursor.next - bytes));
        check_against(&unpacked.data, &item);
        msgpack_unpacked_destroy(&unpacked);
        compared++;
    }
    ck_assert_uint_gt(compared, 10000);
}
END_TEST

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.msgpack_cursor");
    TCase *items = tcase_create("items");
    tcase_add_loop_test(items, an_item_is_taken_with_its_type_and_number, 0, COUNT_OF(good));
    tcase_add_loop_test(items, an_item_that_is_cut_anywhere_is_refused, 0, COUNT_OF(good));
    tcase_add_loop_test(items, items_that_no_message_has_are_refused, 0, COUNT_OF(foreign));
    tcase_add_test(items, random_items_are_read_as_msgpack_c_reads_them);
    suite_add_tcase(s, items);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
