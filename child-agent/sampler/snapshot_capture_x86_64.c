#include "child-agent/sampler/snapshot_capture.h"

#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/recording.h"
#include "child-agent/threads/label_stack.h"

enum {
    PAGE_BYTES = 4096,
    FOREIGN_STACK_PAGES = SNAPSHOT_FOREIGN_STACK_BYTES / PAGE_BYTES,
    RED_ZONE_BYTES = 128, /* below rsp, which a function may use, and leave its return address in */
};

static const int dwarf_order[REGISTER_COUNT] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

static void copy_registers(struct snapshot *snapshot, const ucontext_t *context)
{
    for (int i = 0; i < REGISTER_COUNT; i++)
        snapshot->registers[i] = (uint64_t)context->uc_mcontext.gregs[dwarf_order[i]];
}

void snapshot_copy_bytes(uint8_t *out, uint64_t address, size_t count)
{
    const void *in =
        (const void *)(uintptr_t)address; /* NOLINT: an address taken from a register */
    __asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(count) : : "memory");
}

size_t snapshot_copy_foreign_stack(uint8_t *out, uint64_t address)
{
    struct iovec local = { .iov_base = out, .iov_len = FOREIGN_STACK_PAGES * PAGE_BYTES };
    struct iovec remote[FOREIGN_STACK_PAGES];
    uint64_t next = address;
    if (process_memory_is_read_directly())
        return 0;
    for (int i = 0; i < FOREIGN_STACK_PAGES; i++) {
        uint64_t page_end = (next | (PAGE_BYTES - 1)) + 1;
        remote[i].iov_base = (void *)(uintptr_t)next; /* NOLINT: an address taken from a register */
        remote[i].iov_len = page_end - next;
        next = page_end;
    }
    ssize_t got = process_vm_readv(gettid(), &local, 1, remote, FOREIGN_STACK_PAGES, 0);
    return got > 0 ? (size_t)got : 0;
}

static void show_own_stack(const struct snapshot *snapshot, uint64_t start, struct stack_view *out)
{
    out->start = start;
    out->bytes = snapshot->own_high - start;
    out->at = (const uint8_t *)(uintptr_t)start; /* NOLINT: from a register */
    out->root = snapshot->own_high;
}

static void show_foreign_stack(const struct snapshot *snapshot, uint64_t start,
                               struct stack_view *out)
{
    out->start = start;
    out->bytes =
        snapshot->foreign != NULL ? snapshot_copy_foreign_stack(snapshot->foreign, start) : 0;
    out->at = snapshot->foreign;
    out->root = UINT64_MAX;
}

static bool is_own_stack(const struct snapshot *snapshot, uint64_t address)
{
    return address >= snapshot->own_low && address < snapshot->own_high;
}

/* The address comes from a register, and may be below what the stack has grown to. */
static bool show_other_stack(const struct snapshot *snapshot, uint64_t address,
                             struct stack_view *out)
{
    uint8_t byte;
    if (!is_own_stack(snapshot, address))
        show_foreign_stack(snapshot, address, out);
    else if (process_memory_read(address, &byte, sizeof(byte)) == 0)
        show_own_stack(snapshot, address, out);
    else
        return false;
    return out->bytes > 0;
}

static void show_stack(struct snapshot *snapshot, const struct thread_registration *self,
                       uint8_t *foreign)
{
    struct stack_view view;
    uint64_t rsp = snapshot->registers[REGISTER_RSP], start = rsp - RED_ZONE_BYTES;
    snapshot->own_low = self->stack_low;
    snapshot->own_high = self->stack_high;
    snapshot->foreign = foreign;
    snapshot->other_stack = show_other_stack;
    if (is_own_stack(snapshot, rsp)) {
        show_own_stack(snapshot, is_own_stack(snapshot, start) ? start : rsp, &view);
    } else {
        show_foreign_stack(snapshot, start, &view);
        if (view.bytes == 0) /* nothing may be mapped there */
            show_foreign_stack(snapshot, rsp, &view);
    }
    snapshot->stack_start = view.start;
    snapshot->stack_bytes = view.bytes;
    snapshot->stack = view.at;
    snapshot->is_truncated = false;
}

void snapshot_copy_labels(struct snapshot *snapshot, const struct label_stack *stack)
{
    /* What was pushed in an earlier session may have been popped when nobody counted. */
    uint32_t depth = stack->generation == core_local.recording_generation ? stack->depth : 0;
    if (depth > SNAPSHOT_MAX_LABELS)
        depth = SNAPSHOT_MAX_LABELS;
    for (uint32_t i = 0; i < depth; i++) {
        snapshot->labels[i].stack_address = stack->labels[i].stack_address;
        snapshot->labels[i].site = stack->labels[i].site_index;
    }
    snapshot->label_count = depth;
}

void snapshot_show(struct snapshot *snapshot, const struct thread_registration *self,
                   uint8_t *foreign)
{
    snapshot->ticks = clock_ticks();
    show_stack(snapshot, self, foreign);
    snapshot_copy_labels(snapshot, &thread_labels);
}

void snapshot_look(struct snapshot *snapshot, const struct thread_registration *self,
                   const void *context, uint8_t *foreign)
{
    copy_registers(snapshot, context);
    snapshot_show(snapshot, self, foreign);
}

void snapshot_capture(struct snapshot_copy *copy, const struct thread_registration *self,
                      const void *context)
{
    struct snapshot *snapshot = &copy->snapshot;
    snapshot_look(snapshot, self, context, copy->stack);
    snapshot->other_stack = NULL; /* by then they are others */
    if (snapshot->stack == copy->stack)
        return;
    snapshot->is_truncated = snapshot->stack_bytes > SNAPSHOT_STACK_BYTES;
    if (snapshot->is_truncated)
        snapshot->stack_bytes = SNAPSHOT_STACK_BYTES;
    snapshot_copy_bytes(copy->stack, snapshot->stack_start, snapshot->stack_bytes);
    snapshot->stack = copy->stack;
}
