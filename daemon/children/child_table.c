#include "daemon/children/child_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file_name.h"

const char *child_state_name(enum child_state state)
{
    static const char *const names[] = {
        [CHILD_CONNECTED] = "connected",
        [CHILD_DETACHED] = "detached",
        [CHILD_ENDED] = "ended",
    };
    return names[state];
}

static struct child **bucket_of(struct child_table *table, pid_t pid)
{
    return &table->by_pid[(unsigned)pid % CHILD_TABLE_BUCKETS];
}

struct child *child_table_find_latest(const struct child_table *table, pid_t pid)
{
    struct child *child = table->by_pid[(unsigned)pid % CHILD_TABLE_BUCKETS];

    while (child != NULL && child->pid != pid)
        child = child->earlier_in_bucket;
    return child;
}

struct child *child_table_find_last_image(const struct child_table *table, pid_t pid,
                                          const struct child *child)
{
    struct child *last = child_table_find_latest(table, pid);

    for (struct child *each = last; each != NULL; each = each->earlier_in_bucket) {
        if (each->pid == pid && each->verdict != VERDICT_EXECED)
            last = each;
        if (each == child)
            return last;
    }
    return NULL;
}

struct child *child_table_find_dormant(const struct child_table *table, pid_t pid,
                                       uint64_t start_ns)
{
    struct child *child = table->by_pid[(unsigned)pid % CHILD_TABLE_BUCKETS];

    while (child != NULL &&
           !(child->pid == pid && child->dormancy != CHILD_AWAKE && child->start_ns == start_ns))
        child = child->earlier_in_bucket;
    return child;
}

struct child *child_table_find_owner(const struct child_table *table, lease_owner owner)
{
    unsigned pid = (unsigned)lease_owner_pid(owner);
    struct child *child = table->by_pid[pid % CHILD_TABLE_BUCKETS];

    while (child != NULL && child->lease_owner != owner)
        child = child->earlier_in_bucket;
    return child;
}

static void link_child(struct child_table *table, struct child *child)
{
    struct child **bucket = bucket_of(table, child->pid);

    child->earlier_in_bucket = *bucket;
    *bucket = child;
    child->previous = table->last;
    if (table->last != NULL)
        table->last->next = child;
    else
        table->first = child;
    table->last = child;
    table->count++;
}

static void unlink_child(struct child_table *table, struct child *child)
{
    struct child **link = bucket_of(table, child->pid);

    while (*link != child)
        link = &(*link)->earlier_in_bucket;
    *link = child->earlier_in_bucket;
    if (child->previous != NULL)
        child->previous->next = child->next;
    else
        table->first = child->next;
    if (child->next != NULL)
        child->next->previous = child->previous;
    else
        table->last = child->previous;
    table->count--;
}

uint32_t child_table_later_images(const struct child_table *table, const struct child *child)
{
    return child_table_find_latest(table, child->pid)->image - child->image;
}

void child_set_arguments(struct child *child, const char *arguments, size_t bytes)
{
    char *copy = malloc(bytes + 1);

    if (copy == NULL)
        return;
    memcpy(copy, arguments, bytes);
    copy[bytes] = '\0';
    free(child->arguments);
    child->arguments = copy;
    child->arguments_bytes = bytes;
}

struct child *child_table_add(struct child_table *table, const struct child_introduction *who)
{
    struct child *child = calloc(1, sizeof(*child));
    if (child == NULL)
        return NULL;
    child->executable = strndup(who->executable, who->executable_length);
    if (child->executable == NULL) {
        free(child);
        return NULL;
    }

    if (who->arguments != NULL)
        child_set_arguments(child, who->arguments, who->arguments_bytes);
    const struct child *earlier = child_table_find_latest(table, who->pid);
    child->pid = who->pid;
    child->parent_pid = who->parent_pid;
    child->image = earlier != NULL ? earlier->image + 1 : 0;
    child->start_ns = who->start_ns;
    child->identity = who->identity;
    child->state = CHILD_CONNECTED;
    child->verdict = VERDICT_LIVE;
    child->arena_fd = -1;
    child->cpu = CPU_ACCOUNT_NEW;
    child->process_start_ns = who->start_ns;
    if (earlier != NULL && earlier->identity == who->identity && who->identity != 0) {
        child->process_start_ns = earlier->process_start_ns;
        child->cpu.before_ns = earlier->cpu.before_ns;
    }

    link_child(table, child);
    return child;
}

struct child *child_table_add_silent(struct child_table *table,
                                     const struct child_introduction *who)
{
    struct child *child = child_table_add(table, who);

    if (child == NULL)
        return NULL;
    child->state = CHILD_DETACHED;
    child->agent = CHILD_IS_SILENT;
    return child;
}

void child_table_remove(struct child_table *table, struct child *child)
{
    unlink_child(table, child);
    if (child->state == CHILD_ENDED)
        table->ended--;
    table->names -= child_is_only_name(child);
    table->sought -= child->search != CHILD_SEARCH_NONE;

    if (child->arena_fd >= 0)
        close(child->arena_fd);
    free(child->greeting.bytes);
    free(child->trouble);
    free(child->exec.path);
    free(child->arguments);
    process_title_free(&child->title);
    free(child->executable);
    free(child);
}

void child_table_make_latest(struct child_table *table, struct child *child)
{
    struct child *latest = child_table_find_latest(table, child->pid);
    struct child **bucket = bucket_of(table, child->pid), **link = bucket;
    uint32_t image = latest->image;

    latest->image = child->image;
    child->image = image;
    while (*link != child)
        link = &(*link)->earlier_in_bucket;
    *link = child->earlier_in_bucket;
    child->earlier_in_bucket = *bucket;
    *bucket = child;
}

/* Two hellos of one pid come from one process unless the kernel says otherwise, a fork made it
 * anew, or the first had said that it was about to end. */
static bool is_same_process(const struct child *earlier, const struct child_introduction *who)
{
    if (earlier->identity != 0 && who->identity != 0)
        return earlier->identity == who->identity;
    return earlier->state != CHILD_ENDED && earlier->leaving_ns == 0 && !who->is_fork;
}

/* Of a silent child that an agent named, and of a dormant one, the moment of its exec is known. */
static bool has_known_exec_time(const struct child *child)
{
    return child->dormancy != CHILD_AWAKE ||
           (child->agent == CHILD_IS_SILENT && child->executable[0] != '\0' &&
            child->knowledge == CHILD_KNOWN_BY_ITSELF);
}

/* It called exec right after a second hello, which is read when that has been noticed. */
static bool says_hello_again(const struct child *earlier, const struct child_introduction *who)
{
    return earlier->verdict == VERDICT_EXECED && earlier->obstacle != OBSTACLE_NONE &&
           earlier->kept == CHILD_KEPT_NAME && earlier->start_ns == who->start_ns &&
           earlier->identity == who->identity;
}

enum child_relation child_relate(const struct child *earlier, const struct child_introduction *who)
{
    if (earlier == NULL)
        return CHILD_IS_NEW;
    /* Found in /proc as what the fork has become since, from when its process began. */
    if (earlier->agent == CHILD_IS_SILENT && earlier->state != CHILD_ENDED && who->is_fork &&
        !file_name_is_same(earlier->executable, who->executable, who->executable_length))
        return CHILD_CAME_BEFORE;
    if (has_known_exec_time(earlier) && who->start_ns < earlier->start_ns)
        return CHILD_CAME_BEFORE;
    if (earlier->start_ns == who->start_ns)
        return earlier->state != CHILD_ENDED ? CHILD_IS_SAME_IMAGE : CHILD_HAS_ENDED;
    if (is_same_process(earlier, who))
        return CHILD_DID_EXEC;
    return earlier->state == CHILD_ENDED ? CHILD_IS_NEW : CHILD_REUSES_PID;
}

bool child_is_same_as_silent(const struct child *earlier, const struct child_introduction *who)
{
    if (says_hello_again(earlier, who))
        return true;
    if (earlier->agent != CHILD_IS_SILENT || child_relate(earlier, who) == CHILD_CAME_BEFORE)
        return false;
    if (earlier->state == CHILD_ENDED)
        return who->start_ns <= earlier->end_ns;
    return earlier->start_ns == who->start_ns ||
           file_name_is_same(earlier->executable, who->executable, who->executable_length);
}

void child_reconnect(struct child *child)
{
    assert(child->state == CHILD_DETACHED);
    child->state = CHILD_CONNECTED;
}

void child_detach(struct child *child)
{
    assert(child->state == CHILD_CONNECTED);
    child->state = CHILD_DETACHED;
}

void child_end(struct child_table *table, struct child *child, enum process_verdict verdict,
               int code, uint64_t end_ns)
{
    assert(child->state != CHILD_ENDED);
    assert(verdict != VERDICT_LIVE);
    child->state = CHILD_ENDED;
    child->verdict = verdict;
    child->code = code;
    bool knows_better = verdict == VERDICT_VANISHED && child->leaving_ns != 0; /* than who looked */
    child->end_ns = knows_better && child->leaving_ns < end_ns ? child->leaving_ns : end_ns;
    table->ended++;
}

static bool may_correct(enum process_verdict now, enum process_verdict next)
{
    if (next == VERDICT_LIVE)
        return false;
    return next == now || next == VERDICT_EXECED || now == VERDICT_EXECED ||
           now == VERDICT_VANISHED;
}

void child_correct_end(struct child *child, enum process_verdict verdict, int code, uint64_t end_ns)
{
    assert(child->state == CHILD_ENDED);
    assert(may_correct(child->verdict, verdict));
    child->verdict = verdict;
    child->code = code;
    child->end_ns = end_ns;
}

void child_begin_exec(struct child *child, uint64_t start_ns, const char *path,
                      enum recording_obstacle obstacle)
{
    free(child->exec.path);
    child->exec = (struct child_exec){ start_ns, strdup(path), obstacle };
}

void child_cancel_exec(struct child *child)
{
    free(child->exec.path);
    child->exec = (struct child_exec){ .obstacle = OBSTACLE_NONE };
}

bool child_told_silent_exec(const struct child *child)
{
    return child->exec.start_ns != 0 && child->exec.obstacle != OBSTACLE_NONE;
}

static bool may_keep(enum child_kept now, enum child_kept next)
{
#define TO(kept) (1U << CHILD_KEPT_##kept)
    static const unsigned moves[] = {
        [CHILD_KEPT_NOTHING] = TO(ARENA) | TO(NAME),
        [CHILD_KEPT_ARENA] = TO(TWICE) | TO(COPYING) | TO(NAME),
        [CHILD_KEPT_TWICE] = TO(ARENA),
        [CHILD_KEPT_COPYING] = TO(COPIED) | TO(NAME) | TO(UNWANTED),
        [CHILD_KEPT_UNWANTED] = 0,
        [CHILD_KEPT_COPIED] = TO(EXPIRED),
        [CHILD_KEPT_EXPIRED] = 0,
        [CHILD_KEPT_NAME] = TO(ARENA),
    };
#undef TO
    return (moves[now] >> next & 1) != 0;
}

bool child_is_unconnected(const struct child *child)
{
    bool is_alone = child->agent == CHILD_IS_ALONE;
    bool has_left = child->agent == CHILD_LISTENS && child->state == CHILD_DETACHED;

    return child->state != CHILD_ENDED && (is_alone || has_left);
}

bool child_had_nothing_to_record(const struct child *child)
{
    return child->obstacle == OBSTACLE_NONE &&
           (child->dormancy == CHILD_DORMANT || child->knowledge == CHILD_KNOWN_AS_COPY);
}

bool child_is_only_name(const struct child *child)
{
    return child->kept == CHILD_KEPT_NAME || child->kept == CHILD_KEPT_EXPIRED;
}

void child_set_kept(struct child_table *table, struct child *child, enum child_kept next)
{
    assert(may_keep(child->kept, next));
    assert((child->arena_fd >= 0) == (next == CHILD_KEPT_ARENA || next == CHILD_KEPT_TWICE));
    assert((child->exit != NULL) == (next == CHILD_KEPT_COPIED));
    table->names -= child_is_only_name(child);
    child->kept = next;
    table->names += child_is_only_name(child);
}

static bool may_become(enum child_dormancy now, enum child_dormancy next)
{
    switch (next) {
    case CHILD_AWAKE:
        return now != CHILD_AWAKE;
    case CHILD_DORMANT:
        return now == CHILD_AWAKE;
    case CHILD_WOKEN:
        return now == CHILD_DORMANT;
    }
    return false;
}

int child_set_greeting(struct child *child, uid_t uid, const uint8_t *hello, size_t bytes)
{
    free(child->greeting.bytes);
    child->greeting = (struct child_greeting){ malloc(bytes), bytes, uid };
    if (child->greeting.bytes == NULL)
        return -ENOMEM;
    memcpy(child->greeting.bytes, hello, bytes);
    return 0;
}

void child_set_agent(struct child *child, enum child_agent next)
{
    assert(next != CHILD_IS_SILENT);
    child->agent = next;
}

void child_set_dormancy(struct child *child, enum child_dormancy next)
{
    assert(may_become(child->dormancy, next));
    child->dormancy = next;
}

static bool may_search(enum child_search now, enum child_search next)
{
    switch (next) {
    case CHILD_SEARCH_NONE:
        return now != CHILD_SEARCH_NONE;
    case CHILD_SEARCH_DUE:
        return now == CHILD_SEARCH_NONE;
    case CHILD_SEARCH_FAILED_ONCE:
        return now == CHILD_SEARCH_DUE;
    }
    return false;
}

void child_set_search(struct child_table *table, struct child *child, enum child_search next)
{
    assert(may_search(child->search, next));
    table->sought -= child->search != CHILD_SEARCH_NONE;
    child->search = next;
    table->sought += child->search != CHILD_SEARCH_NONE;
}

enum process_verdict child_verdict_of(int wait_status, int *code)
{
    if (WIFSIGNALED(wait_status)) {
        *code = WTERMSIG(wait_status);
        return VERDICT_KILLED;
    }
    *code = WEXITSTATUS(wait_status);
    return VERDICT_EXITED;
}
