/* Calls, as they follow from samples: profctl/convert/call_samples.h, thread_calls.h and profile_calls.h have the same
 * rules, and say why. A node of the tree of calls is a stack; 0, no stack at all, is (program). */

const Sleep = { NONE: 0, IDLE: 1, IN_STACK: 2 }; /* before a sample */

const Bound = { TASK: 1, FUNCTION_CALL: 2 }; /* bits of what an event is */

const NodeKind = { FUNCTION: 0, ROOT: 1, PROGRAM: 2, IDLE: 3, COLLECTOR: 4, RUNTIME: 5 };

const metaNames = ['', '(root)', '(program)', '(idle)', '(garbage collector)']; /* by kind */

const IDLE_NODE = -1; /* where a thread slept */

/* Of each stack: what it is, the first stack above it that is not of V8's runtime, how many calls lead to it, the
 * outermost of them, and what is the same in stacks that end in one call. */
class CallTree {
    constructor(capture) {
        const count = capture.stackCount, prefix = capture.stackPrefix.items, name = capture.stackName.items;
        const metaKind = capture.names.map((text) => Math.max(metaNames.indexOf(text), 0));
        this.kind = new Uint8Array(count);
        this.caller = new Int32Array(count);
        this.depth = new Int32Array(count);
        this.outermost = new Int32Array(count);
        this.identity = new Float64Array(count); /* function and script */
        for (let i = 1; i < count; i++) {
            const above = prefix[i], isOutermost = above === 0 || this.kind[above] === NodeKind.ROOT;
            this.kind[i] = isOutermost && metaKind[name[i]] > 0 ? metaKind[name[i]]
                : capture.nameIsRuntime.items[name[i]] === 1 ? NodeKind.RUNTIME : NodeKind.FUNCTION;
            const isFrame = this.kind[i] !== NodeKind.RUNTIME && this.kind[i] !== NodeKind.ROOT;
            this.depth[i] = (isOutermost ? 0 : this.depth[above]) + (isFrame ? 1 : 0);
            this.caller[i] = isOutermost ? 0 : this.kind[above] === NodeKind.RUNTIME ? this.caller[above] : above;
            this.outermost[i] = isOutermost ? i : this.outermost[above];
            this.identity[i] = capture.nameFunction.items[name[i]] + capture.stackScript.items[i] * capture.names.length;
        }
    }

    kindOf(node) {
        return node === IDLE_NODE ? NodeKind.IDLE : node === 0 ? NodeKind.PROGRAM : this.kind[node];
    }

    isOfCalls(node) {
        const kind = this.kindOf(node);
        return kind === NodeKind.FUNCTION || kind === NodeKind.RUNTIME || kind === NodeKind.ROOT;
    }
}

/* The nodes of THREAD's samples from FIRST to END, and when; with where it fell asleep between them. */
function callSamples(capture, tree, thread, first, end) {
    const times = new Float64Array(2 * (end - first)), nodes = new Int32Array(2 * (end - first));
    const stacks = capture.sampleStack.items, slept = capture.sampleSlept.items, sampled = capture.sampleTime.items;
    let count = 0;
    for (let i = first; i < end; i++) {
        if (i > first && slept[i] !== Sleep.NONE && (slept[i] === Sleep.IDLE || stacks[i] !== stacks[i - 1])) {
            times[count] = sampled[i - 1] + thread.tickUs;
            nodes[count++] = slept[i] === Sleep.IDLE ? IDLE_NODE : stacks[i];
        }
        times[count] = sampled[i];
        nodes[count++] = stacks[i];
    }
    mendSamples(tree, nodes, count);
    return { times, nodes, count };
}

/* A single (program) between two that share their outermost call is as the one before. */
function mendSamples(tree, nodes, count) {
    for (let i = 1, before = nodes[0]; i + 1 < count; i++) {
        const node = nodes[i], after = nodes[i + 1];
        if (tree.kindOf(node) === NodeKind.PROGRAM && tree.isOfCalls(before) && tree.isOfCalls(after) &&
            tree.outermost[before] === tree.outermost[after])
            nodes[i] = before;
        before = node;
    }
}

/* The calls that are open, from the outside in; ONENDED is told of each at its end: its stack, start, end and self time.
 * All of them go on until one time; a stack is only looked at from where it is not the one before. */
class OpenCalls {
    constructor(tree, onEnded) {
        Object.assign(this, { tree, onEnded, open: [], events: [], locks: [], hasLoneCalls: false, reached: 0,
                              path: [], depth: 0, knownFrom: 0, knownTo: 0, last: null });
    }

    get locked() {
        return this.locks.length > 0 ? this.locks[this.locks.length - 1] : 0;
    }

    truncateTo(depth, time) {
        const kept = Math.max(depth, this.locked);
        if (this.open.length === 0 || time > this.reached)
            this.reached = time;
        while (this.open.length > kept) {
            const call = this.open.pop(), length = this.reached - call.start;
            if (this.open.length > 0)
                this.open[this.open.length - 1].inside += length;
            this.onEnded(call.stack, call.start, this.reached, Math.max(length - call.inside, 0));
        }
    }

    /* Makes the path the one to NODE, with TOP above it unless that is 0; returns how much of it is as it was. */
    unroll(node, top) {
        const { tree, path } = this, before = this.depth;
        let at = this.depth = node > 0 ? tree.depth[node] : 0;
        if (node > 0 && tree.kind[node] === NodeKind.RUNTIME)
            node = tree.caller[node];
        for (; at > 0 && !(at <= before && path[at - 1] === node); node = tree.caller[node])
            path[--at] = node;
        if (top !== 0)
            path[this.depth++] = top;
        return at;
    }

    /* What the collector interrupted goes on under it. */
    unrollSample(node) {
        if (this.tree.kindOf(node) === NodeKind.COLLECTOR && this.last !== null)
            return this.unroll(this.last, node);
        if (this.tree.kindOf(node) !== NodeKind.COLLECTOR)
            this.last = node;
        return this.unroll(node, 0);
    }

    takeStack(time) {
        const { tree, path, open } = this, locked = this.locked;
        let same = this.knownFrom <= locked && locked < this.knownTo ? this.knownTo : locked;
        same = Math.min(same, open.length);
        while (same < open.length && same < this.depth &&
               tree.identity[open[same].stack] === tree.identity[path[same]])
            same++;
        this.truncateTo(same, time);
        this.knownFrom = locked;
        this.knownTo = this.depth;
        for (let i = same; i < this.depth; i++) {
            if (tree.kind[path[i]] === NodeKind.FUNCTION)
                open.push({ stack: path[i], start: this.reached, inside: 0 });
            else
                this.knownTo = Math.min(this.knownTo, i);
        }
    }

    takeSample(node, time) {
        this.knownTo = Math.min(this.knownTo, this.unrollSample(node));
        const isInCall = this.events.length > 0 && (this.events[this.events.length - 1] & Bound.FUNCTION_CALL) !== 0;
        const isLone = !this.hasLoneCalls && !isInCall;
        if (isLone && this.open.length > 0)
            return;
        this.takeStack(time);
        if (isLone) {
            this.hasLoneCalls = true;
            this.locks.push(0);
        }
    }

    beginEvent(kind, time) {
        if ((kind & Bound.TASK) !== 0) {
            this.locks.length = 0;
            this.hasLoneCalls = false;
            this.truncateTo(0, time);
        }
        if (this.hasLoneCalls)
            this.truncateTo(this.locks.pop() ?? 0, time);
        this.hasLoneCalls = false;
        this.truncateTo(this.open.length, time);
        this.locks.push(this.open.length);
        this.events.push(kind);
    }

    endEvent(time) {
        this.events.pop();
        this.truncateTo(this.locks.pop() ?? 0, time);
    }

    finish() {
        this.locks.length = 0;
        this.truncateTo(0, this.reached);
    }
}

/* Tells ONENDED of the calls of THREAD between START and END. */
function tellCalls(capture, tree, thread, { start, end }, onEnded) {
    const samples = callSamples(capture, tree, thread, capture.sampleAt(thread, start), capture.sampleAt(thread, end));
    const calls = new OpenCalls(tree, onEnded), times = capture.eventTime.items, kinds = capture.eventKind.items;
    const lastEvent = thread.firstEvent + thread.eventCount;
    let event = thread.firstEvent;
    const takeEvents = (until) => {
        for (; event < lastEvent && times[event] <= until; event++) {
            if (kinds[event] === 0)
                calls.endEvent(times[event]);
            else
                calls.beginEvent(kinds[event] - 1, times[event]);
        }
    };
    if (thread.eventCount > 0 && samples.count > 0)
        calls.beginEvent(Bound.FUNCTION_CALL, samples.times[0]); /* the thread's own code, between its markers */
    for (let i = 0; i < samples.count; i++) {
        takeEvents(samples.times[i]);
        calls.takeSample(samples.nodes[i], samples.times[i]);
    }
    takeEvents(end);
    calls.finish();
}
