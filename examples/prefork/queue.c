#include "examples/prefork/queue.h"

void queue_put(struct queue *queue, int connection)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == QUEUE_CAPACITY)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->connections[(queue->first + queue->count++) % QUEUE_CAPACITY] = connection;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

int queue_take(struct queue *queue)
{
    int connection = -1;
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->is_closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    if (queue->count > 0) {
        connection = queue->connections[queue->first];
        queue->first = (queue->first + 1) % QUEUE_CAPACITY;
        queue->count--;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return connection;
}

void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->is_closed = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}
