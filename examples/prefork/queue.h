/* A bounded queue of connections between the thread that accepts and those that serve. */
#ifndef PREFORK_QUEUE_H
#define PREFORK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

enum { QUEUE_CAPACITY = 64 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned first, count;
    bool is_closed;
    int connections[QUEUE_CAPACITY];
};

#define QUEUE_INITIALIZER                                                                          \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, false,                          \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Waits while the queue is full. */
void queue_put(struct queue *queue, int connection);

/* Waits for a connection; -1 when the queue is closed and empty. */
int queue_take(struct queue *queue);

void queue_close(struct queue *queue);

#endif
