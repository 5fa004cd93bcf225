/* Batches to a server: what is tried again, what is given up, and what nobody may lose. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/export/delivery.h"
#include "tests/unit/run_suite.h"

/* A server whose answer the test says. */
struct fake_server {
    enum http_outcome prepare, send;
    unsigned sends;
    uint64_t last_batch;
    bool was_unsure; /* when it was last sent to */
};

enum { OUTAGE_STEPS = 100, PATIENCE_STEPS = 40, FEW_FAULTS = 5 };

static char folder[64];
static struct fake_server server;
static struct export_target target;
static struct delivery delivery;
static uint64_t now_ns;

static enum http_outcome prepare_server(void *owner, char text[HTTP_TEXT_BYTES])
{
    const struct fake_server *fake = owner;

    strcpy(text, fake->prepare == HTTP_DONE ? "" : "not ready");
    return fake->prepare;
}

static void send_batch(void *owner, const struct export_batch *batch, bool is_unsure,
                       struct http_answer *answer)
{
    struct fake_server *fake = owner;

    fake->sends++;
    fake->last_batch = batch->id;
    fake->was_unsure = is_unsure;
    *answer = (struct http_answer){ .outcome = fake->send, .text = "no" };
}

static bool takes_kind(const void *owner, enum export_kind kind)
{
    (void)owner;
    return kind == EXPORT_SAMPLES;
}

static void add_batch(uint64_t id)
{
    struct export_batch batch = { .kind = EXPORT_SAMPLES, .id = id, .rows = 10 };

    ck_assert_int_eq(export_batch_pack(&batch, "rows", 4), 0);
    ck_assert_int_eq(spool_add(delivery.spool, &batch), 0);
    export_batch_free(&batch);
}

static void begin_delivery(void)
{
    struct failure failure;

    strcpy(folder, "/tmp/profd-test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    server = (struct fake_server){ .prepare = HTTP_DONE, .send = HTTP_DONE };
    target = (struct export_target){
        .prepare = prepare_server, .send = send_batch, .takes = takes_kind, .owner = &server
    };
    delivery = (struct delivery){ .target = &target };
    ck_assert(spool_open(folder, 1 << 20, &delivery.spool, &failure));
    now_ns = NS_PER_S;
    add_batch(1);
    add_batch(2);
}

static void end_delivery(void)
{
    char command[128];

    delivery_free(&delivery);
    spool_close(delivery.spool);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* When it is time again. */
static enum delivery_step step_when_due(void)
{
    char text[HTTP_TEXT_BYTES];

    if (now_ns < delivery.next_ns)
        now_ns = delivery.next_ns;
    return delivery_step(&delivery, now_ns, text);
}

static void fail_so_often(enum http_outcome outcome, unsigned steps)
{
    server.send = outcome;
    for (unsigned i = 0; i < steps; i++)
        ck_assert_int_eq(step_when_due(), DELIVERY_FAILED);
}

static void expect_both_to_arrive(void)
{
    server.prepare = server.send = HTTP_DONE;
    ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
    ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
    ck_assert_int_eq(step_when_due(), DELIVERY_NOTHING);
    ck_assert_uint_eq(delivery.delivered_batches, 2);
    ck_assert_uint_eq(spool_losses(delivery.spool)->batches, 0);
}

START_TEST(batches_arrive_in_their_order)
{
    ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
    ck_assert_uint_eq(server.last_batch, 1);
    ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
    ck_assert_uint_eq(server.last_batch, 2);
    ck_assert(!server.was_unsure);
}
END_TEST

START_TEST(one_error_after_a_long_outage_loses_nothing)
{
    fail_so_often(HTTP_AWAY, OUTAGE_STEPS);
    fail_so_often(HTTP_FAILED, 1);
    expect_both_to_arrive();
}
END_TEST

START_TEST(a_server_that_is_long_in_getting_ready_loses_nothing)
{
    server.prepare = HTTP_FAILED;
    fail_so_often(HTTP_DONE, OUTAGE_STEPS);
    ck_assert_uint_eq(server.sends, 0);
    server.prepare = HTTP_DONE;
    fail_so_often(HTTP_FAILED, 1);
    expect_both_to_arrive();
}
END_TEST

/* What timeouts are, and a proxy's answer in place of the server. */
START_TEST(silence_is_never_the_fault_of_a_batch)
{
    fail_so_often(HTTP_UNSURE, OUTAGE_STEPS);
    fail_so_often(HTTP_FAILED, 1);
    expect_both_to_arrive();
}
END_TEST

START_TEST(a_batch_at_which_the_server_always_fails_is_given_up)
{
    unsigned steps = 0;

    server.send = HTTP_FAILED;
    while (steps < PATIENCE_STEPS && step_when_due() == DELIVERY_FAILED)
        steps++;
    ck_assert_uint_gt(steps, FEW_FAULTS);
    ck_assert_uint_lt(steps, PATIENCE_STEPS);
    ck_assert_uint_eq(spool_losses(delivery.spool)->batches, 1);
    fail_so_often(HTTP_FAILED, FEW_FAULTS); /* the next one has as many tries */
    ck_assert_uint_eq(server.last_batch, 2);
    server.send = HTTP_DONE;
    ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
}
END_TEST

START_TEST(errors_are_counted_anew_when_the_server_was_away)
{
    for (unsigned i = 0; i < PATIENCE_STEPS; i++) {
        fail_so_often(HTTP_FAILED, FEW_FAULTS);
        fail_so_often(HTTP_AWAY, 1);
    }
    expect_both_to_arrive();
}
END_TEST

START_TEST(a_batch_that_took_the_place_of_the_first_has_no_errors_yet)
{
    fail_so_often(HTTP_FAILED, PATIENCE_STEPS / 2);
    spool_remove_first(delivery.spool);
    fail_so_often(HTTP_FAILED, PATIENCE_STEPS / 2);
    ck_assert_uint_eq(server.last_batch, 2);
    ck_assert_uint_eq(spool_losses(delivery.spool)->batches, 0);
}
END_TEST

START_TEST(what_is_refused_is_lost_at_once)
{
    server.send = HTTP_REFUSED;
    ck_assert_int_eq(step_when_due(), DELIVERY_LOST);
    ck_assert_uint_eq(spool_losses(delivery.spool)->rows, 10);
}
END_TEST

START_TEST(doubt_lasts_until_the_batch_arrives)
{
    static const enum http_outcome doubtful[] = { HTTP_UNSURE, HTTP_FAILED };

    for (size_t i = 0; i < sizeof(doubtful) / sizeof(doubtful[0]); i++) {
        fail_so_often(doubtful[i], 1);
        fail_so_often(HTTP_AWAY, 1);
        server.send = HTTP_DONE;
        ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
        ck_assert(server.was_unsure);
    }
    add_batch(3);
    ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
    ck_assert(!server.was_unsure);
}
END_TEST

/* A machine that lost its power may have the files again of batches that were delivered. */
START_TEST(each_batch_that_an_exporter_finds_may_be_there)
{
    struct failure failure;

    spool_close(delivery.spool);
    ck_assert(spool_open(folder, 1 << 20, &delivery.spool, &failure));
    add_batch(3);
    for (uint64_t id = 1; id <= 3; id++) {
        ck_assert_int_eq(step_when_due(), DELIVERY_DONE);
        ck_assert_uint_eq(server.last_batch, id);
        ck_assert_int_eq(server.was_unsure, id < 3);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.delivery");
    TCase *claims = tcase_create("claims");

    tcase_add_checked_fixture(claims, begin_delivery, end_delivery);
    tcase_add_test(claims, batches_arrive_in_their_order);
    tcase_add_test(claims, one_error_after_a_long_outage_loses_nothing);
    tcase_add_test(claims, a_server_that_is_long_in_getting_ready_loses_nothing);
    tcase_add_test(claims, silence_is_never_the_fault_of_a_batch);
    tcase_add_test(claims, a_batch_at_which_the_server_always_fails_is_given_up);
    tcase_add_test(claims, errors_are_counted_anew_when_the_server_was_away);
    tcase_add_test(claims, a_batch_that_took_the_place_of_the_first_has_no_errors_yet);
    tcase_add_test(claims, what_is_refused_is_lost_at_once);
    tcase_add_test(claims, doubt_lasts_until_the_batch_arrives);
    tcase_add_test(claims, each_batch_that_an_exporter_finds_may_be_there);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
