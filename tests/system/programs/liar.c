/* liar SOCKET LIE: an agent that speaks the protocol and lies, until it is killed.
 *
 * About its profile when it is asked for it, or about its arena, which is read when it does not
 * answer. It prints a line each when it is met and when it is asked. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/fake_agent.h"

enum { ARENA_BYTES = 16 * CHUNK_BYTES };

static struct fake_agent liar;
static int lie; /* index */

static void say_what(const char *what)
{
    puts(what);
    fflush(stdout);
}

/* --- Lies about the arena --- */

static void fill_with_noise(uint8_t *bytes, size_t count)
{
    uint32_t state = 12345;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

static void noise(void)
{
    fill_with_noise(liar.arena.dictionary, 65536);
    fill_with_noise(liar.arena.chunks, ARENA_BYTES);
    atomic_store(&liar.arena.header->dictionary_used_bytes, 65536);
    atomic_store(&liar.arena.header->chunk_high_water, 16);
    atomic_store(&liar.arena.header->generation, 1);
}

static void huge_counts(void)
{
    noise();
    liar.arena.header->chunk_count = UINT32_MAX;
    liar.arena.header->dictionary_bytes = UINT32_MAX;
    atomic_store(&liar.arena.header->dictionary_used_bytes, UINT32_MAX);
    atomic_store(&liar.arena.header->chunk_high_water, UINT64_MAX);
    atomic_store(&liar.arena.header->sampling_clock, UINT32_MAX);
    atomic_store(&liar.arena.header->sampling_clock_refusal, UINT32_MAX);
    atomic_store(&liar.arena.header->sampling_interval_ns, UINT64_MAX);
    for (int i = 0; i < 32; i++)
        atomic_store(&liar.arena.header->drops[i], UINT64_MAX);
}

static void no_header(void)
{
    memset(liar.arena.header, 0, ARENA_HEADER_BYTES);
}

/* --- Lies about the profile --- */

static void send_answer(uint64_t gather_id, int fd, uint64_t json_bytes)
{
    const struct message_profile profile = { .gather_id = gather_id, .json_bytes = json_bytes };

    fake_agent_send(
        &liar, message_put_profile(liar.frame, MESSAGE_MAX_BYTES, MESSAGE_PROFILE, &profile), fd);
}

static void answer_with(uint64_t gather_id, const char *json)
{
    int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (write(fd, json, strlen(json)) != (ssize_t)strlen(json))
        exit(FAKE_AGENT_FAILED);
    send_answer(gather_id, fd, strlen(json));
}

static void answer_malformed(uint64_t gather_id)
{
    answer_with(gather_id, "{\"meta\":{\"version\":36},\"libs\":[],\"threads\":[,]}");
}

static void answer_unclosed(uint64_t gather_id)
{
    answer_with(gather_id, "{\"meta\":{\"version\":36},\"libs\":[],\"threads\":[{}");
}

static void answer_escaping(uint64_t gather_id)
{
    answer_with(gather_id, "{\"meta\":{\"version\":36},\"libs\":[],\"threads\":[]}],\"more\":[{}");
}

static void answer_meaningless(uint64_t gather_id)
{
    answer_with(gather_id, "{\"a\":1}");
}

static void answer_empty(uint64_t gather_id)
{
    answer_with(gather_id, "{}");
}

static void answer_nested(uint64_t gather_id)
{
    static char json[200002];

    memset(json, '[', sizeof(json) - 2);
    json[0] = '{';
    json[sizeof(json) - 2] = '}';
    answer_with(gather_id, json);
}

static void longer_than_it_is(uint64_t gather_id)
{
    send_answer(gather_id, memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING), UINT64_C(1) << 40);
}

static void a_pipe(uint64_t gather_id)
{
    int fds[2];

    if (pipe(fds) < 0)
        exit(FAKE_AGENT_FAILED);
    send_answer(gather_id, fds[0], 100);
}

static void of_another_capture(uint64_t gather_id)
{
    answer_with(gather_id + 1000, "{}");
}

static void answer_nothing(uint64_t gather_id)
{
    (void)gather_id;
}

static void hang_up(uint64_t gather_id)
{
    (void)gather_id;
    close(liar.profd);
    pause();
}

static const struct {
    const char *name;
    void (*spoil_arena)(void);
    void (*answer)(uint64_t gather_id);
} lies[] = {
    { "noise", noise, answer_nothing },
    { "huge-counts", huge_counts, answer_nothing },
    { "no-header", no_header, answer_nothing },
    { "malformed", NULL, answer_malformed },
    { "unclosed", NULL, answer_unclosed },
    { "escaping", NULL, answer_escaping },
    { "meaningless", NULL, answer_meaningless },
    { "empty", NULL, answer_empty },
    { "nested", NULL, answer_nested },
    { "longer-than-it-is", NULL, longer_than_it_is },
    { "a-pipe", NULL, a_pipe },
    { "of-another-capture", NULL, of_another_capture },
    { "nothing", NULL, answer_nothing },
    { "hang-up", NULL, hang_up },
};

enum { LIES = sizeof(lies) / sizeof(lies[0]) };

/* --- The protocol --- */

static void obey_message(struct fake_agent *agent, const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;
    struct message_session session;
    struct message_gather_profile gather;

    switch (message_peek_kind(payload, bytes)) {
    case MESSAGE_WELCOME:
        if (message_get_welcome(payload, bytes, &welcome) == 0)
            fake_agent_started(agent, welcome.session.generation);
        if (lies[lie].spoil_arena != NULL)
            lies[lie].spoil_arena();
        say_what("met");
        break;
    case MESSAGE_ENSURE_STARTED:
        if (message_get_session(payload, bytes, &session) == 0)
            fake_agent_started(agent, session.generation);
        break;
    case MESSAGE_GATHER_PROFILE:
        say_what("asked");
        if (message_get_gather_profile(payload, bytes, &gather) == 0)
            lies[lie].answer(gather.gather_id);
        break;
    }
}

int main(int argc, char **argv)
{
    while (argc == 3 && lie < LIES && strcmp(lies[lie].name, argv[2]) != 0)
        lie++;
    if (argc != 3 || lie == LIES)
        return 2;
    fake_agent_begin(&liar, argv[1], ARENA_BYTES);
    for (;;)
        fake_agent_serve(&liar, -1, obey_message);
}
