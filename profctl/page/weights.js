/* What the selected samples add up to, by stack and by function, in µs of CPU time or in samples. What was
 * computed is kept until the selection changes. */

const weights = {
    self: null,
    kept: {},

    forget() {
        this.kept = {};
    },

    once(what, compute) {
        if (this.kept[what] === undefined)
            this.kept[what] = compute();
        return this.kept[what];
    },

    /* Of each stack, what ended there. */
    ofStacks() {
        return this.once('self', () => {
            const { sampleStack, sampleCpu, stackCount } = state.capture, self = new Float64Array(stackCount);
            const isCpu = state.unit === 'cpu', range = selectedRange();
            for (const thread of selectedThreads()) {
                const end = state.capture.sampleAt(thread, range.end);
                for (let i = state.capture.sampleAt(thread, range.start); i < end; i++)
                    self[sampleStack.items[i]] += isCpu ? sampleCpu.items[i] : 1;
            }
            self[0] = 0; /* those without a stack tell of no function */
            return self;
        });
    },

    /* Of each stack, that and what it called; of stack 0, everything. */
    withCalls() {
        return this.once('total', () => {
            const total = this.ofStacks().slice(), prefix = state.capture.stackPrefix.items;
            for (let i = total.length - 1; i > 0; i--)
                total[prefix[i]] += total[i];
            return total;
        });
    },

    whole() {
        return this.withCalls()[0];
    },

    /* Of each name, as { self, total }. */
    ofFunctions() {
        return this.once('functions', () => {
            const { stackName, isOutermost, names, stackCount } = state.capture;
            const self = this.ofStacks(), withCalls = this.withCalls();
            const sums = { self: new Float64Array(names.length), total: new Float64Array(names.length) };
            for (let i = 1; i < stackCount; i++) {
                sums.self[stackName.items[i]] += self[i];
                if (isOutermost[i] === 1)
                    sums.total[stackName.items[i]] += withCalls[i];
            }
            return sums;
        });
    },

    /* What the stacks with a function that is searched for add up to. */
    ofMatches() {
        const isMatch = matchedNames();
        if (isMatch === null)
            return 0;
        const { stackName, stackPrefix, stackCount } = state.capture, self = this.ofStacks();
        const isInside = new Uint8Array(stackCount);
        let sum = 0;
        for (let i = 1; i < stackCount; i++) {
            isInside[i] = isInside[stackPrefix.items[i]] | isMatch[stackName.items[i]];
            if (isInside[i] === 1)
                sum += self[i];
        }
        return sum;
    },

    text(weight) {
        return state.unit === 'cpu' ? durationText(weight) : countedText(weight, 'sample');
    },
};

whenChanged(selectionMembers, () => weights.forget());

/* Of each name, whether it is searched for; null: nothing is. */
let matches = { search: '', names: null };

function matchedNames() {
    if (matches.search !== state.search) {
        const search = state.search.toLowerCase();
        matches = { search: state.search,
                    names: search === '' ? null
                                         : Uint8Array.from(state.capture.names,
                                                           (name) => name.toLowerCase().includes(search) ? 1 : 0) };
    }
    return matches.names;
}
