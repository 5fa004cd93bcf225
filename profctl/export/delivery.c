#include "profctl/export/delivery.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/time_units.h"

enum {
    FIRST_WAIT_MS = 1000,
    MAX_WAIT_MS = 60 * 1000,
    MAX_DOUBLINGS = 6,
    /* A batch at which a server that is there fails so often is not the server's trouble. About
     * twenty minutes. */
    MAX_FAULTS = 25,
    MAX_ASKED_S = 60 * 60,
};

uint64_t delivery_wait_ms(unsigned failures, uint32_t chance)
{
    unsigned doublings = failures > 0 ? failures - 1 : 0;
    uint64_t wait_ms = FIRST_WAIT_MS << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS);

    if (wait_ms > MAX_WAIT_MS)
        wait_ms = MAX_WAIT_MS;
    return wait_ms / 2 + chance % (wait_ms / 2);
}

/* A server that says how long it wants to be left alone is left alone as long as that. */
static void wait_longer(struct delivery *delivery, uint64_t now_ns, uint64_t asked_s)
{
    uint64_t wait_ms;
    uint32_t chance;

    if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != (ssize_t)sizeof(chance))
        chance = 0; /* the shortest wait */
    delivery->failures++;
    wait_ms = delivery_wait_ms(delivery->failures, chance);
    if (asked_s > MAX_ASKED_S)
        asked_s = MAX_ASKED_S;
    if (asked_s * MS_PER_S > wait_ms)
        wait_ms = asked_s * MS_PER_S;
    delivery->next_ns = now_ns + wait_ms * NS_PER_MS;
}

/* Whatever becomes of the batch at hand, the next one is another. */
static void begin_anew(struct delivery *delivery)
{
    delivery->failures = 0;
    delivery->faults = 0;
    delivery->is_unsure = false;
}

static void note_arrival(struct delivery *delivery)
{
    begin_anew(delivery);
    delivery->delivered_rows += delivery->batch.rows;
    delivery->delivered_batches++;
    spool_remove_first(delivery->spool);
}

static enum delivery_step lose_batch(struct delivery *delivery)
{
    begin_anew(delivery);
    spool_lose_first(delivery->spool, &delivery->batch);
    return DELIVERY_LOST;
}

/* The spool drops its first batch when it is full: what was known was of that one. */
static void follow_first(struct delivery *delivery)
{
    if (delivery->tried_batch != delivery->batch.id)
        delivery->faults = 0;
    delivery->tried_batch = delivery->batch.id;
}

/* Whether the batch is to blame: a server that nobody reaches, or that a proxy stands in for, has
 * not looked at it. */
static bool is_fault_of_batch(struct delivery *delivery, enum http_outcome outcome)
{
    if (outcome == HTTP_FAILED)
        delivery->faults++;
    if (outcome == HTTP_AWAY)
        delivery->faults = 0;
    return outcome == HTTP_REFUSED || delivery->faults > MAX_FAULTS;
}

/* What the server was prepared with may be gone as well. */
static enum delivery_step settle_failure(struct delivery *delivery, uint64_t now_ns,
                                         const struct http_answer *answer)
{
    enum http_outcome outcome = answer->outcome;

    delivery->is_unsure |=
        outcome == HTTP_UNSURE || outcome == HTTP_FAILED || outcome == HTTP_STOPPED;
    delivery->is_prepared = delivery->is_prepared && outcome != HTTP_AWAY;
    if (outcome == HTTP_STOPPED)
        return DELIVERY_NOTHING;
    if (is_fault_of_batch(delivery, outcome))
        return lose_batch(delivery);
    wait_longer(delivery, now_ns, answer->wait_s);
    return DELIVERY_FAILED;
}

static enum delivery_step send_batch(struct delivery *delivery, uint64_t now_ns, char *text)
{
    const struct export_target *target = delivery->target;
    struct http_answer answer = { 0 };
    bool is_unsure = delivery->is_unsure || spool_has_found_first(delivery->spool);

    target->send(target->owner, &delivery->batch, is_unsure, &answer);
    memcpy(text, answer.text, HTTP_TEXT_BYTES);
    if (answer.outcome != HTTP_DONE)
        return settle_failure(delivery, now_ns, &answer);
    note_arrival(delivery);
    return DELIVERY_DONE;
}

static enum delivery_step prepare_target(struct delivery *delivery, uint64_t now_ns, char *text)
{
    enum http_outcome outcome = delivery_prepare(delivery, text);

    if (outcome == HTTP_DONE)
        return DELIVERY_DONE;
    if (outcome == HTTP_REFUSED)
        return DELIVERY_ENDED;
    delivery->faults = 0;
    wait_longer(delivery, now_ns, 0);
    return outcome == HTTP_STOPPED ? DELIVERY_NOTHING : DELIVERY_FAILED;
}

enum http_outcome delivery_prepare(struct delivery *delivery, char text[HTTP_TEXT_BYTES])
{
    const struct export_target *target = delivery->target;
    enum http_outcome outcome = HTTP_DONE;

    text[0] = '\0';
    if (target->prepare != NULL)
        outcome = target->prepare(target->owner, text);
    delivery->is_prepared = outcome == HTTP_DONE;
    return outcome;
}

enum delivery_step delivery_step(struct delivery *delivery, uint64_t now_ns,
                                 char text[HTTP_TEXT_BYTES])
{
    text[0] = '\0';
    if (now_ns < delivery->next_ns)
        return DELIVERY_NOTHING;
    int error = spool_first(delivery->spool, &delivery->batch);
    if (error == -ENOENT)
        return DELIVERY_NOTHING;
    if (error < 0) {
        snprintf(text, HTTP_TEXT_BYTES, "%s", strerror(-error));
        wait_longer(delivery, now_ns, 0);
        return DELIVERY_UNREAD;
    }
    if (!delivery->target->takes(delivery->target->owner, delivery->batch.kind)) {
        snprintf(text, HTTP_TEXT_BYTES,
                 "the spool has batches for another kind of server; give "
                 "this export its own with --spool");
        return DELIVERY_ENDED;
    }
    follow_first(delivery);
    if (!delivery->is_prepared) {
        enum delivery_step step = prepare_target(delivery, now_ns, text);
        if (step != DELIVERY_DONE)
            return step;
    }
    return send_batch(delivery, now_ns, text);
}

void delivery_free(struct delivery *delivery)
{
    export_batch_free(&delivery->batch);
}
