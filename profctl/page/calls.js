/* The longest calls, as they follow from samples: a call goes on while its frame is in the same place of the stack.
 * Where the thread slept, its stack was empty, or that of the sample that found it asleep, from one tick after the
 * sample before. A single sample without a stack between two with the same outermost call is as the one before it.
 * profctl/convert/profile_calls.h and call_samples.h have the same rules. */

const Sleep = { NONE: 0, IDLE: 1, IN_STACK: 2 }; /* before a sample */

const MOST_CALLS = 1000;

/* The longest calls so far: a heap whose top is the shortest of them. */
class LongestCalls {
    constructor() {
        this.heap = [];
        this.count = 0;
    }

    add(call) {
        const heap = this.heap, length = (item) => item.end - item.start;
        this.count++;
        if (heap.length === MOST_CALLS && length(call) <= length(heap[0]))
            return;
        let at = heap.length < MOST_CALLS ? heap.length : 0;
        heap[at] = call;
        for (let up = (at - 1) >> 1; at > 0 && length(heap[up]) > length(heap[at]); up = (at - 1) >> 1) {
            [heap[up], heap[at]] = [heap[at], heap[up]];
            at = up;
        }
        for (let down = 2 * at + 1; down < heap.length; down = 2 * at + 1) {
            if (down + 1 < heap.length && length(heap[down + 1]) < length(heap[down]))
                down++;
            if (length(heap[at]) <= length(heap[down]))
                break;
            [heap[down], heap[at]] = [heap[at], heap[down]];
            at = down;
        }
    }
}

/* The calls of one thread. Two stacks have the calls in common that the stack which both continue has. */
class ThreadCalls {
    constructor(thread, found) {
        Object.assign(this, { thread, found, open: [], stack: 0 });
    }

    /* Calls are open from the outside in; each knows its stack. */
    take(stack, time) {
        const prefix = state.capture.stackPrefix.items, entered = [];
        if (stack === this.stack)
            return;
        let common = stack;
        while (common > this.stack || !this.isOpen(common)) {
            entered.push(common);
            common = prefix[common];
        }
        this.endBehind(common, time);
        for (const inner of entered.reverse())
            this.open.push({ stack: inner, start: time, inside: 0 });
        this.stack = stack;
    }

    /* Prefixes have lower numbers, so what is open is sorted. */
    isOpen(stack) {
        let low = 0, high = this.open.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.open[middle].stack < stack)
                low = middle + 1;
            else
                high = middle;
        }
        return stack === 0 || (low < this.open.length && this.open[low].stack === stack);
    }

    endBehind(stack, time) {
        while (this.open.length > 0 && this.open[this.open.length - 1].stack > stack) {
            const call = this.open.pop(), length = time - call.start;
            if (this.open.length > 0)
                this.open[this.open.length - 1].inside += length;
            if (this.isWanted(call.stack))
                this.found.add({ name: state.capture.stackName.items[call.stack], thread: this.thread,
                                 start: call.start, end: time, self: length - call.inside });
        }
        this.stack = stack;
    }

    isWanted(stack) {
        const isMatch = matchedNames();
        return isMatch === null || isMatch[state.capture.stackName.items[stack]] === 1;
    }
}

function isMissed(thread, i) {
    const { sampleStack, sampleSlept, outermost } = state.capture, stacks = sampleStack.items;
    return stacks[i] === 0 && i > thread.first && i + 1 < thread.first + thread.count && stacks[i - 1] !== 0 &&
           outermost[stacks[i - 1]] === outermost[stacks[i + 1]] &&
           sampleSlept.items[i] === Sleep.NONE && sampleSlept.items[i + 1] === Sleep.NONE;
}

function findLongestCalls() {
    const { sampleTime, sampleStack, sampleSlept } = state.capture, found = new LongestCalls();
    const range = selectedRange();
    for (const thread of selectedThreads()) {
        const calls = new ThreadCalls(thread, found), end = state.capture.sampleAt(thread, range.end);
        let time = 0;
        for (let i = state.capture.sampleAt(thread, range.start); i < end; i++) {
            if (sampleSlept.items[i] !== Sleep.NONE)
                calls.take(sampleSlept.items[i] === Sleep.IDLE ? 0 : sampleStack.items[i], time + thread.tickUs);
            time = sampleTime.items[i];
            calls.take(isMissed(thread, i) ? sampleStack.items[i - 1] : sampleStack.items[i], time);
        }
        calls.endBehind(0, time);
    }
    return found;
}

const callsTable = {
    begin() {
        this.note = make('p', { class: 'note quiet' });
        byId('panel-calls').append(this.note);
        this.table = new RowTable(byId('panel-calls'), {
            label: 'Longest calls',
            empty: 'No call here.',
            columns: [
                { title: 'Lasted', class: 'number', text: (call) => durationText(call.end - call.start),
                  number: (call) => call.end - call.start },
                { title: 'Self', class: 'number', text: (call) => durationText(call.self),
                  number: (call) => call.self },
                { title: 'Began at', class: 'number', text: (call) => momentText(call.start, 100),
                  number: (call) => call.start, isAscending: true },
                { title: 'Function', class: 'wide code', text: (call) => state.capture.names[call.name] },
                { title: 'Thread', class: 'library quiet',
                  text: (call) => threadText(call.thread) },
            ],
            onChoose: (call) => {
                set({ range: { start: call.start, end: call.end }, process: call.thread.process, thread: call.thread });
            },
        });
        this.table.sortBy(this.table.columns[0]);
        whenChanged(['range', 'process', 'thread', 'capture', 'search', 'tab'], oncePerFrame(() => this.show()));
    },

    show() {
        if (state.tab !== 'calls' || state.capture === null)
            return;
        const found = findLongestCalls();
        this.note.textContent = found.count > found.heap.length
            ? `The longest ${countText(found.heap.length)} of ${countText(found.count)} calls. `
            : `${countedText(found.count, 'call')}. `;
        this.note.append('Calls follow from samples; what was shorter than the time between two of them is not seen.');
        this.table.show(found.heap);
    },
};
