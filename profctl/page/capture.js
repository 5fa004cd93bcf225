/* What follows from the columns: processes with names, ends and CPU time; the tree of stacks. */

/* The list that MAP has at KEY, an empty one when it has none yet. */
function listAt(map, key) {
    if (!map.has(key))
        map.set(key, []);
    return map.get(key);
}

class Capture extends CaptureData {
    constructor(bytes) {
        super(bytes);
        this.stackCount = this.stackPrefix.count;
        this.knowsCpu = this.threads.some((thread) => thread.knowsCpu && thread.count > 0);
        /* profd is the root, and a process only where it was profiled. */
        this.processes = this.processes.filter((process) => process.threads.length > 0 || process.counters.length > 0);
        this.findStarts();
        this.findEnd();
        this.processes.forEach((process) => this.settleProcess(process));
        this.linkStacks();
        this.pairMarkers();
        this.totalUs = this.processes.reduce((sum, process) => sum + process.totalUs, 0);
        this.sampleCount = this.sampleTime.count;
    }

    /* The first program of a process that is here has what the process used before it, and from when on. */
    findStarts() {
        const known = new Set(this.processes.map(({ pid, laterImages }) => `${pid} ${laterImages}`));
        for (const process of this.processes) {
            const isLater = Number.isNaN(process.start) || process.processStart < process.start;
            if (isLater && !known.has(`${process.pid} ${process.laterImages + 1}`))
                process.start = process.processStart;
        }
    }

    findEnd() {
        let start = 0, end = 1000;
        for (const { first, count, end: ended } of this.threads) {
            if (count > 0) {
                start = Math.min(start, this.sampleTime.items[first]);
                end = Math.max(end, this.sampleTime.items[first + count - 1]);
            }
            end = Math.max(end, ended || 0);
        }
        for (const process of this.processes)
            end = Math.max(end, process.end || 0);
        const said = (this.meta.profilingEndTime || 0) * 1e3;
        this.start = Math.max(start, (this.meta.profilingStartTime || 0) * 1e3 || start);
        this.end = Math.max(end, said);
    }

    settleProcess(process) {
        const threads = process.threads;
        process.name = threads.length > 0 ? threads[0].processName : 'profd';
        if (Number.isNaN(process.pid) || process.pid < 0)
            process.pid = threads.length > 0 ? threads[0].pid : -1;
        process.sampledUs = process.notSampledUs = process.sampleCount = 0;
        for (const thread of threads) {
            this.settleThread(thread);
            process.sampledUs += thread.sampledUs;
            process.notSampledUs += thread.notSampledUs;
            process.sampleCount += thread.count;
        }
        process.totalUs = process.sampledUs + process.notSampledUs + process.restUs;
        if (Number.isNaN(process.start))
            process.start = threads.reduce((least, thread) => Math.min(least, thread.start), this.end);
        if (Number.isNaN(process.end))
            process.end = threads.reduce((most, thread) => Math.max(most, thread.end), process.start);
        process.fate = fateOf(process);
    }

    settleThread(thread) {
        const { first, count } = thread, cpu = this.sampleCpu.items, times = this.sampleTime.items;
        thread.sampledUs = 0;
        for (let i = first; i < first + count; i++)
            thread.sampledUs += cpu[i];
        if (Number.isNaN(thread.start))
            thread.start = count > 0 ? times[first] : this.start;
        if (Number.isNaN(thread.end))
            thread.end = count > 0 && thread.process.end < this.end ? times[first + count - 1] : this.end;
    }

    /* Functions that stacks continue with, as lists through the stacks; and whether a function is the outermost
     * of its name in its stack, so that recursion counts once. */
    linkStacks() {
        const count = this.stackCount, prefix = this.stackPrefix.items, name = this.stackName.items;
        this.firstChild = new Int32Array(count);
        this.nextSibling = new Int32Array(count);
        for (let i = count - 1; i > 0; i--) {
            this.nextSibling[i] = this.firstChild[prefix[i]];
            this.firstChild[prefix[i]] = i;
        }
        this.isOutermost = new Uint8Array(count);
        const open = new Int32Array(this.names.length);
        for (let at = this.firstChild[0]; at !== 0;) {
            this.isOutermost[at] = open[name[at]]++ === 0 ? 1 : 0;
            if (this.firstChild[at] !== 0) {
                at = this.firstChild[at];
                continue;
            }
            while (at !== 0) {
                open[name[at]]--;
                if (this.nextSibling[at] !== 0)
                    break;
                at = prefix[at];
            }
            if (at !== 0)
                at = this.nextSibling[at];
        }
    }

    /* A start and the end of the same name that follows it in the thread become one interval; what the other end of
     * is missing lasts to the end of the capture, or from its start. */
    pairMarkers() {
        const { START, END } = Capture.phases, phases = this.markerPhase.items;
        this.markerIsHidden = new Uint8Array(this.markerName.count);
        for (const thread of this.threads) {
            const open = new Map();
            for (let i = thread.firstMarker; i < thread.firstMarker + thread.markerCount; i++) {
                const name = this.markerName.items[i];
                if (phases[i] === START) {
                    this.markerEnd.items[i] = Math.min(this.end, thread.end);
                    listAt(open, name).push(i);
                } else if (phases[i] === END && listAt(open, name).length > 0) {
                    this.markerEnd.items[open.get(name).pop()] = this.markerEnd.items[i];
                    this.markerIsHidden[i] = 1;
                } else if (phases[i] === END) {
                    this.markerStart.items[i] = this.start;
                }
            }
        }
    }

    nameOfStack(stack) {
        return stack === 0 ? 'all' : this.names[this.stackName.items[stack]];
    }

    /* The first sample of THREAD that is not before TIME. */
    sampleAt(thread, time) {
        const times = this.sampleTime.items;
        let low = thread.first, high = thread.first + thread.count;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (times[middle] < time)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
}

Capture.phases = { INSTANT: 0, INTERVAL: 1, START: 2, END: 3 };

/* What became of a process, for people, and which colour that has. */
const fateKinds = { ended: 'ended well', failed: 'failed', killed: 'killed', crashed: 'crashed', live: 'still running',
                    execed: 'became another program', absent: 'not profiled' };

const crashSignals = [4, 5, 6, 7, 8, 11, 31];

function fateOf(process) {
    const end = process.outcome || process.verdict || 'live', code = process.code;
    const isSignal = end === 'killed' || end === 'crashed';
    if (process.verdict === 'not-profiled')
        return { kind: 'absent', text: `not profiled: ${process.reason || 'no reason is known'}` };
    if (end === 'exited' || end === 'exit')
        return { kind: code > 0 ? 'failed' : 'ended', text: code > 0 ? `exited with ${code}` : 'exited' };
    if (isSignal)
        return { kind: end === 'crashed' || crashSignals.includes(code) ? 'crashed' : 'killed',
                 text: `${end} by signal ${code}` };
    if (end === 'execed')
        return { kind: 'execed', text: 'became another program' };
    if (end === 'live')
        return { kind: 'live', text: 'still running' };
    return { kind: 'failed', text: end };
}
