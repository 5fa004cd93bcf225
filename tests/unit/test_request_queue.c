/* daemon.requests.request_queue: requests that wait, and what becomes of them when a client goes.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/requests/request_queue.h"
#include "tests/unit/run_suite.h"

struct client {
    int number;
};

static struct client first = { 1 }, second = { 2 };
static struct request_queue queue;

static void set_up(void)
{
    queue = (struct request_queue){ 0 };
}

static void tear_down(void)
{
    request_queue_clear(&queue);
    ck_assert_uint_eq(queue.count, 0);
    ck_assert_ptr_null(queue.first);
    ck_assert_ptr_null(queue.last);
}

static struct request *add_request(struct client *client, enum request_kind kind, uint64_t id)
{
    struct request *request = calloc(1, sizeof(*request));

    ck_assert_ptr_nonnull(request);
    *request = (struct request){ .client = client, .kind = kind, .id = id, .output_fd = -1 };
    request_queue_append(&queue, request);
    return request;
}

static uint64_t take_id(struct request **link)
{
    struct request *request = request_queue_take(&queue, link);
    uint64_t id = request->id;

    ck_assert_ptr_null(request->next);
    request_free(request);
    return id;
}

START_TEST(a_capture_is_ordered_once)
{
    struct request *request = add_request(&first, REQUEST_CAPTURE, 7);
    int output_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    request->output_fd = output_fd;
    request->since_ns = 5;
    request->is_raw = true;
    const struct capture_order order = request_take_order(request);
    ck_assert_uint_eq(order.id, 7);
    ck_assert_uint_eq(order.since_ns, 5);
    ck_assert(order.is_raw && !order.stop_after);
    ck_assert_int_eq(order.output_fd, output_fd);
    request_queue_clear(&queue);
    ck_assert_int_eq(close(output_fd), 0); /* it was not the request's any more */
}
END_TEST

START_TEST(who_came_first_is_first)
{
    for (uint64_t id = 1; id <= 3; id++)
        add_request(&first, REQUEST_STOP, id);
    ck_assert_uint_eq(queue.count, 3);
    for (uint64_t id = 1; id <= 3; id++)
        ck_assert_uint_eq(take_id(&queue.first), id);
}
END_TEST

START_TEST(behind_one_that_overtook_the_order_is_as_before)
{
    add_request(&first, REQUEST_STOP, 1);
    add_request(&first, REQUEST_STOP, 2);
    ck_assert_uint_eq(take_id(&queue.first->next), 2);
    add_request(&first, REQUEST_STOP, 3);
    ck_assert_uint_eq(take_id(&queue.first), 1);
    ck_assert_uint_eq(take_id(&queue.first), 3);
}
END_TEST

START_TEST(captures_of_a_client_that_went_are_forgotten)
{
    int output_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    add_request(&first, REQUEST_CAPTURE, 1)->output_fd = output_fd;
    add_request(&second, REQUEST_CAPTURE, 2);
    const struct request *stop = add_request(&first, REQUEST_STOP, 3);
    add_request(&first, REQUEST_CAPTURE, 4);
    request_queue_forget_client(&queue, &first);
    ck_assert_int_eq(fcntl(output_fd, F_GETFD), -1); /* closed */
    ck_assert_uint_eq(queue.count, 2);
    ck_assert_ptr_null(stop->client);
    ck_assert_ptr_eq(queue.last, stop);
    add_request(&second, REQUEST_PAUSE, 5);
    ck_assert_uint_eq(take_id(&queue.first), 2);
    ck_assert_uint_eq(take_id(&queue.first), 3);
    ck_assert_uint_eq(take_id(&queue.first), 5);
}
END_TEST

START_TEST(a_start_is_found_by_whose_it_is)
{
    const struct session_owner program = { SESSION_OWNER_PROGRAM, 7 };
    const struct session_owner other = { SESSION_OWNER_PROGRAM, 8 };

    add_request(&first, REQUEST_STOP, 1)->owner = program;
    ck_assert(!request_queue_has_start(&queue, &program));
    add_request(&first, REQUEST_START, 2)->owner = program;
    ck_assert(request_queue_has_start(&queue, &program));
    ck_assert(!request_queue_has_start(&queue, &other));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.requests.request_queue");
    TCase *tests = tcase_create("queue");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_capture_is_ordered_once);
    tcase_add_test(tests, who_came_first_is_first);
    tcase_add_test(tests, behind_one_that_overtook_the_order_is_as_before);
    tcase_add_test(tests, captures_of_a_client_that_went_are_forgotten);
    tcase_add_test(tests, a_start_is_found_by_whose_it_is);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
