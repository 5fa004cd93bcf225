#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/leb128.h"
#include "profctl/convert/page_record.h"
#include "profctl/convert/page_stream.h"
#include "tests/unit/run_suite.h"

enum { MAX_BYTES = 2 * 1024 * 1024 };

static char written[MAX_BYTES];
static size_t bytes, room;
static uint8_t deflated[MAX_BYTES], plain[MAX_BYTES];
static struct page_stream *stream;

static int write_bytes(void *context, const char *text, size_t count)
{
    ck_assert_ptr_eq(context, written);
    if (bytes + count > room)
        return -ENOSPC;
    memcpy(written + bytes, text, count);
    bytes += count;
    return 0;
}

static void set_up(void)
{
    bytes = 0;
    room = MAX_BYTES - 1;
    stream = calloc(1, sizeof(*stream));
    ck_assert_int_eq(page_stream_open(stream, write_bytes, written), 0);
}

static void tear_down(void)
{
    page_stream_close(stream);
    free(stream);
}

/* Its value in base64; that of what is no digit has more than six bits. */
static unsigned digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (unsigned)(found - digits) : 1u << 31;
}

/* The bytes that were put: as a browser finds them. */
static size_t unpack_bytes(void)
{
    size_t count = 0;
    uLongf plain_count = MAX_BYTES;

    ck_assert_int_eq(page_stream_finish(stream), 0);
    ck_assert_uint_eq(bytes % 4, 0);
    for (size_t i = 0; i < bytes; i += 4) {
        unsigned padding = (written[i + 2] == '=') + (written[i + 3] == '=');
        unsigned bits = digit_of(written[i]) << 18 | digit_of(written[i + 1]) << 12;
        bits |= padding < 2 ? digit_of(written[i + 2]) << 6 : 0;
        bits |= padding < 1 ? digit_of(written[i + 3]) : 0;
        if (bits >= 1u << 24 || (padding > 0 && i + 4 < bytes))
            ck_abort_msg("%.4s is not base64", written + i);
        for (unsigned k = 0; k < 3 - padding; k++)
            deflated[count++] = (uint8_t)(bits >> (16 - 8 * k));
    }
    ck_assert_int_eq(uncompress(plain, &plain_count, deflated, count), Z_OK);
    return plain_count;
}

START_TEST(values_come_back)
{
    static const char markup[] = "</script><b>";
    const uint8_t expected[] = { 5, 0xac, 2, 3, 4, 0, 12 };
    double real;

    page_put_number(stream, 5);
    page_put_number(stream, 300);
    page_put_difference(stream, -2);
    page_put_difference(stream, 2);
    page_put_text(stream, NULL);
    page_put_text(stream, markup);
    page_put_real(stream, 0.5);
    ck_assert_uint_eq(unpack_bytes(), sizeof(expected) + strlen(markup) + sizeof(real));
    ck_assert_mem_eq(plain, expected, sizeof(expected));
    ck_assert_mem_eq(plain + sizeof(expected), markup, strlen(markup));
    memcpy(&real, plain + sizeof(expected) + strlen(markup), sizeof(real));
    ck_assert_double_eq(real, 0.5);
    ck_assert_ptr_null(memchr(written, '<', bytes));
}
END_TEST

/* More than its buffers hold, also deflated. */
START_TEST(long_streams_come_back)
{
    const uint8_t *at = plain;
    uint64_t random = 1, number;
    enum { NUMBERS = 150000 };

    for (int i = 0; i < NUMBERS; i++) {
        random = random * 6364136223846793005u + 1;
        page_put_number(stream, random >> 8);
    }
    const uint8_t *end = plain + unpack_bytes();
    random = 1;
    for (int i = 0; i < NUMBERS; i++) {
        at = leb128_read(at, end, &number);
        random = random * 6364136223846793005u + 1;
        if (at == NULL || number != random >> 8)
            ck_abort_msg("number %d is another one", i);
    }
    ck_assert_ptr_eq(at, end);
    ck_assert_uint_gt(bytes, 2 * PAGE_BASE64_BYTES);
}
END_TEST

START_TEST(the_first_error_of_the_sink_stays)
{
    room = 0;
    for (uint64_t i = 0; i < 100000; i++)
        page_put_number(stream, i * 0x9e3779b97f4a7c15u);
    ck_assert_int_eq(stream->error, -ENOSPC);
    room = MAX_BYTES - 1;
    ck_assert_int_eq(page_stream_finish(stream), -ENOSPC);
    ck_assert_uint_eq(bytes, 0);
}
END_TEST

START_TEST(times_are_whole_microseconds)
{
    ck_assert_int_eq(page_us(1.0004), 1000);
    ck_assert_int_eq(page_us(1.0006), 1001);
    ck_assert_int_eq(page_us(-1.0006), -1001);
    ck_assert_int_eq(page_us(NAN), 0);
    ck_assert_int_eq(page_us(INFINITY), 1000000000000000);
    ck_assert_int_eq(page_us(-1e300), -1000000000000000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.page_stream");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, values_come_back);
    tcase_add_test(all, long_streams_come_back);
    tcase_add_test(all, the_first_error_of_the_sink_stays);
    tcase_add_test(all, times_are_whole_microseconds);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
