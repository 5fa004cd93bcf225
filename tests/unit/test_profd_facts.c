/* daemon.clients.profd_facts: what profd knows of itself, on a page of metrics. */
#include "daemon/clients/clients.h"
#include "daemon/clients/profd_facts.h"
#include "daemon/metrics/metrics_page.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/status_scene.h"

static struct clients clients;
static struct metrics_view view;

static void set_up(void)
{
    set_up_scene();
    memset(&clients, 0, sizeof(clients));
    memset(&view, 0, sizeof(view));
}

static void describe(void)
{
    const struct profd_facts facts = { &session, &memory, &exits, &table, &census, &clients };

    profd_facts_describe(&facts, &view);
}

START_TEST(an_idle_profd_has_a_limit_and_nothing_in_it)
{
    describe();
    ck_assert_uint_eq(view.limit_bytes, SCENE_LIMIT_BYTES);
    ck_assert_uint_eq(view.leased_bytes, SCENE_SPARE_BYTES);
    ck_assert_uint_eq(view.kernel_bytes, 0);
    ck_assert_uint_eq(view.clients, 0);
    ck_assert_uint_eq(view.agents, 0);
    ck_assert(!view.is_session_on);
    ck_assert_uint_eq(view.lost_news, SCENE_LOST);
}
END_TEST

START_TEST(leases_are_counted_anew)
{
    const lease_owner owner = lease_owner_make(getpid(), 1, false);
    uint32_t unit;

    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(lease_take(&memory.ledger, owner, LEASE_TO_START, &unit), 0);
    session.state = SESSION_ACTIVE;
    describe();
    ck_assert_uint_eq(view.leased_bytes, SCENE_SPARE_BYTES + 3 * LEASE_UNIT_BYTES);
    ck_assert(view.is_session_on);
}
END_TEST

START_TEST(agents_are_children_with_a_connection)
{
    static char place;
    struct client second = { .clients = &clients }, first = { .next = &second };

    add_child(10, "/bin/alone");
    struct child *child = add_child(11, "/bin/there");
    child->connection = (struct connection *)&place;
    clients.first = &first;
    describe();
    ck_assert_uint_eq(view.agents, 1);
    ck_assert_uint_eq(view.clients, 2);
}
END_TEST

START_TEST(what_was_recorded_counts_also_when_it_was_dropped)
{
    struct child *child = add_child(10, "/bin/gone");

    child->kept = CHILD_KEPT_EXPIRED;
    child->expired = (struct block_account){ 4, 400, 3, 300 };
    table.names++; /* as child_set_kept() would count it */
    exits.records = 2;
    exits.memory_bytes = 100;
    describe();
    ck_assert_uint_eq(view.produced_blocks, 4);
    ck_assert_uint_eq(view.produced_bytes, 400);
    ck_assert_uint_eq(view.dropped_blocks, 3);
    ck_assert_uint_eq(view.dropped_bytes, 300);
    ck_assert_uint_eq(view.exit_profiles, 2);
    ck_assert_uint_eq(view.exit_profile_bytes, 100);
    exits.records = 0;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.clients.profd_facts");
    TCase *all = tcase_create("facts");
    tcase_add_checked_fixture(all, set_up, tear_down_scene);
    tcase_add_test(all, an_idle_profd_has_a_limit_and_nothing_in_it);
    tcase_add_test(all, leases_are_counted_anew);
    tcase_add_test(all, agents_are_children_with_a_connection);
    tcase_add_test(all, what_was_recorded_counts_also_when_it_was_dropped);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
