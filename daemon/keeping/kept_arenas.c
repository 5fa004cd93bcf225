#include "daemon/keeping/kept_arenas.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct kept_arena *make_arena(const struct keeper_message *message, int fd)
{
    struct kept_arena *arena = malloc(sizeof(*arena));
    uint8_t *hello = malloc(message->hello_bytes > 0 ? message->hello_bytes : 1);

    if (arena == NULL || hello == NULL) {
        free(arena);
        free(hello);
        return NULL;
    }
    memcpy(hello, message->hello, message->hello_bytes);
    *arena = (struct kept_arena){
        .id = message->id,
        .pid = message->pid,
        .uid = message->uid,
        .fd = fd,
        .hello_bytes = message->hello_bytes,
        .hello = hello,
    };
    return arena;
}

static void destroy_arena(struct kept_arena *arena)
{
    close(arena->fd);
    free(arena->hello);
    free(arena);
}

int kept_arenas_add(struct kept_arenas *arenas, const struct keeper_message *message, int fd)
{
    struct kept_arena *arena = make_arena(message, fd);

    if (arena == NULL) {
        close(fd);
        return -ENOMEM;
    }
    kept_arenas_drop(arenas, message->id);
    arena->next = arenas->first;
    arenas->first = arena;
    arenas->count++;
    return 0;
}

void kept_arenas_drop(struct kept_arenas *arenas, uint64_t id)
{
    struct kept_arena **link = &arenas->first;

    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    struct kept_arena *arena = *link;
    if (arena == NULL)
        return;
    *link = arena->next;
    arenas->count--;
    destroy_arena(arena);
}

void kept_arenas_clear(struct kept_arenas *arenas)
{
    while (arenas->first != NULL)
        kept_arenas_drop(arenas, arenas->first->id);
}

bool kept_arenas_have_living(const struct kept_arenas *arenas)
{
    for (const struct kept_arena *arena = arenas->first; arena != NULL; arena = arena->next) {
        if (arena->pid > 0 && (kill(arena->pid, 0) == 0 || errno == EPERM))
            return true;
    }
    return false;
}

static int send_one(const struct kept_arena *arena, int socket_fd)
{
    static struct keeper_message message;

    message = (struct keeper_message){
        .kind = KEEPER_KEPT,
        .pid = arena->pid,
        .uid = arena->uid,
        .hello_bytes = arena->hello_bytes,
        .id = arena->id,
    };
    memcpy(message.hello, arena->hello, arena->hello_bytes);
    return keeper_message_send(socket_fd, &message, arena->fd);
}

int kept_arenas_send(const struct kept_arenas *arenas, int socket_fd)
{
    const struct keeper_message all = { .kind = KEEPER_ALL };

    for (const struct kept_arena *arena = arenas->first; arena != NULL; arena = arena->next) {
        int error = send_one(arena, socket_fd);
        if (error < 0)
            return error;
    }
    return keeper_message_send(socket_fd, &all, -1);
}
