#include "buffer/session_board.h"

#include <string.h>

void session_board_write(struct session_board *board, const struct session_terms *terms)
{
    uint32_t sequence = atomic_load_explicit(&board->sequence, memory_order_relaxed) | 1;

    atomic_store_explicit(&board->sequence, sequence, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    memcpy(&board->terms, terms, sizeof(board->terms));
    atomic_store_explicit(&board->sequence, sequence + 1, memory_order_release);
}

bool session_board_read(const struct session_board *board, const struct session_word *word,
                        struct session_terms *out)
{
    uint32_t before = atomic_load_explicit(&board->sequence, memory_order_acquire);

    memcpy(out, &board->terms, sizeof(*out));
    atomic_thread_fence(memory_order_acquire);
    uint32_t after = atomic_load_explicit(&board->sequence, memory_order_relaxed);
    out->filters[sizeof(out->filters) - 1] = '\0';
    out->marker_triggers[sizeof(out->marker_triggers) - 1] = '\0';
    return before == after && before % 2 == 0 && word->generation != 0 &&
           out->generation == word->generation &&
           (out->revision & SESSION_WORD_REVISION_MASK) == word->revision;
}
