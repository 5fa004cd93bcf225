/* asks SOCKET NAME… - NAME…: one client that asks for the captures of triggers by their names,
 * those behind "-" once there is a file "go". Prints "NAME ERROR" for each answer, and ends with
 * the last.
 */
#include <stdio.h>
#include <string.h>

#include "tests/fake_agent.h"

static struct fake_agent client;
static char **names;
static int unanswered;

static void note_answer(struct fake_agent *unused, const uint8_t *payload, size_t bytes)
{
    struct message_reply reply;
    (void)unused;

    if (message_peek_kind(payload, bytes) != MESSAGE_REPLY)
        return;
    if (message_get_reply(payload, bytes, &reply) < 0)
        exit(FAKE_AGENT_FAILED);
    printf("%s %d\n", names[reply.id], (int)reply.error);
    fflush(stdout);
    unanswered--;
}

static void wait_for_go(void)
{
    while (access("go", F_OK) < 0)
        fake_agent_serve(&client, 20, note_answer);
}

static void ask_for_trigger(int index)
{
    const struct message_client_trigger trigger = {
        .id = (uint64_t)index, .name = { names[index], strlen(names[index]) }
    };

    fake_agent_send(&client,
                    message_put_client_trigger(client.frame, MESSAGE_MAX_BYTES,
                                               MESSAGE_CLIENT_TRIGGER, &trigger),
                    -1);
    unanswered++;
}

int main(int argc, char **argv)
{
    const struct message_client_hello hello = { .protocol_version = PROTOCOL_VERSION };

    client.profd = argc > 2 ? socket_connect(argv[1], 0) : -1;
    if (client.profd < 0)
        return 2;
    names = argv;
    frame_reader_init(&client.reader);
    fake_agent_send(
        &client,
        message_put_client_hello(client.frame, MESSAGE_MAX_BYTES, MESSAGE_CLIENT_HELLO, &hello),
        -1);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "-") == 0)
            wait_for_go();
        else
            ask_for_trigger(i);
    }
    while (unanswered > 0)
        fake_agent_serve(&client, -1, note_answer);
    return 0;
}
