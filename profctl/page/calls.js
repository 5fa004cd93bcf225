/* The longest calls, as a table. */

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

function findLongestCalls() {
    const { capture } = state, found = new LongestCalls(), range = selectedRange(), isMatch = matchedNames();
    capture.callTree ??= new CallTree(capture);
    for (const thread of selectedThreads()) {
        tellCalls(capture, capture.callTree, thread, range, (stack, start, end, self) => {
            const name = capture.stackName.items[stack];
            if (isMatch === null || isMatch[name] === 1)
                found.add({ name, thread, start, end, self });
        });
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
