/* A capture as columns: the records of profctl/convert/page_record.h, in their order.
 *
 *   names[n], nameFunction[n], nameIsRuntime[n] functions and names of markers; those of one function are one call
 *   stackPrefix[s], stackName[s], stackScript[s] stack 0 is none; a prefix stands before what continues it
 *   files[n]                                   of functions, where one is known
 *   sampleTime[i], sampleStack[i], sampleCpu[i], sampleSlept[i]   of all threads, one behind the other
 *   marker…[m], event…[e]                      likewise; events bound calls
 *   threads, counters, processes               objects; those of a process know it */

const Record = { END: 0, NAMES: 1, STACKS: 2, THREAD: 3, COUNTER: 4, PROCESS: 5, META: 6,
                 COMPARISON: 7, FILES: 8 };

class CaptureData {
    constructor(bytes) {
        this.reader = new ByteReader(bytes);
        this.names = [];
        this.nameFunction = new Column(Int32Array);
        this.nameIsRuntime = new Column(Uint8Array);
        this.files = [];
        this.stackPrefix = new Column(Int32Array);
        this.stackName = new Column(Int32Array);
        this.stackScript = new Column(Int32Array);
        this.stackPrefix.push(0);
        this.stackName.push(-1);
        this.stackScript.push(0);
        this.sampleTime = new Column(Float64Array);
        this.sampleStack = new Column(Int32Array);
        this.sampleCpu = new Column(Float64Array);
        this.sampleSlept = new Column(Uint8Array);
        this.markerName = new Column(Int32Array);
        this.markerPhase = new Column(Uint8Array);
        this.markerStart = new Column(Float64Array);
        this.markerEnd = new Column(Float64Array);
        this.markerThread = new Column(Int32Array);
        this.markerPlace = new Column(Uint32Array);
        this.eventTime = new Column(Float64Array);
        this.eventKind = new Column(Uint8Array); /* 0: an end; or 1 and what begins */
        this.threads = [];
        this.counters = [];
        this.processes = [];
        this.meta = {};
        this.comparison = null; /* with another profile */
        this.waiting = [[], []]; /* threads of the process to come, and of the root */
        this.waitingCounters = [];
        this.readRecords();
    }

    readRecords() {
        const readers = { [Record.NAMES]: 'readNames', [Record.STACKS]: 'readStacks', [Record.THREAD]: 'readThread',
                          [Record.COUNTER]: 'readCounter', [Record.PROCESS]: 'readProcess', [Record.META]: 'readMeta',
                          [Record.COMPARISON]: 'readComparison', [Record.FILES]: 'readFiles' };
        for (let record; (record = this.reader.number()) !== Record.END;) {
            if (readers[record] === undefined)
                throw new Error(`the capture is damaged: there is no record ${record}`);
            this[readers[record]]();
        }
        this.startUnixMs = this.reader.real();
        const count = this.reader.number();
        for (let i = 0; i < count; i++)
            this.processes[i].restUs = this.reader.real() / 1e3;
    }

    readNames() {
        for (let count = this.reader.number(); count > 0; count--)
            this.readName();
    }

    readName() {
        this.names.push(this.reader.text());
        const said = this.reader.number();
        this.nameFunction.push(Math.floor(said / 2));
        this.nameIsRuntime.push(said % 2);
    }

    readFiles() {
        const files = [];
        for (let count = this.reader.number(); count > 0; count--)
            files.push(this.reader.text());
        for (let count = this.reader.number(), name = 0; count > 0; count--) {
            name += this.reader.number();
            this.files[name] = files[this.reader.number()];
        }
    }

    readStacks() {
        const count = this.reader.number(), prefixes = this.stackPrefix.reserve(count);
        const names = this.stackName.reserve(count), first = this.stackPrefix.count;
        const scripts = this.stackScript.reserve(count);
        for (let i = first; i < first + count; i++) {
            const distance = this.reader.number();
            prefixes[i] = distance === 0 ? 0 : i - distance;
            names[i] = this.reader.number();
            scripts[i] = this.reader.number();
        }
        this.stackPrefix.count = this.stackName.count = this.stackScript.count = first + count;
    }

    readThread() {
        const reader = this.reader, isOfRoot = reader.number();
        const thread = { index: this.threads.length, processName: reader.text(), name: reader.text(),
                         pid: reader.real(), tid: reader.real(), start: reader.real() * 1e3, end: reader.real() * 1e3,
                         notSampledUs: reader.real(), tickUs: reader.real(), knowsCpu: reader.number() === 1,
                         first: this.sampleTime.count, count: reader.number(), delayIndex: [], delayUs: [] };
        this.readSamples(thread);
        this.readDelays(thread);
        this.readMarkers(thread);
        this.readEvents(thread);
        this.threads.push(thread);
        this.waiting[isOfRoot].push(thread);
    }

    readSamples({ first, count, knowsCpu }) {
        const reader = this.reader, end = first + count;
        const times = this.sampleTime.reserve(count), stacks = this.sampleStack.reserve(count);
        const slept = this.sampleSlept.reserve(count), cpu = this.sampleCpu.reserve(count);
        let isSorted = true;
        for (let i = first, time = 0; i < end; i++) {
            const difference = reader.difference();
            isSorted &&= i === first || difference >= 0;
            times[i] = time += difference;
        }
        for (let i = first, stack = 0; i < end; i++) {
            const said = reader.difference();
            slept[i] = said & 3;
            stack += Math.floor(said / 4);
            stacks[i] = stack;
        }
        for (let i = first; i < end; i++)
            cpu[i] = knowsCpu ? reader.number() : 0;
        this.sampleTime.count = this.sampleStack.count = this.sampleSlept.count = this.sampleCpu.count = end;
        if (!isSorted)
            this.sortSamples(first, end);
    }

    /* V8's clock steps back; times are to be searched. */
    sortSamples(first, end) {
        const times = this.sampleTime.items.slice(first, end);
        const order = Uint32Array.from(times, (time, i) => i).sort((a, b) => times[a] - times[b] || a - b);
        for (const column of [this.sampleTime, this.sampleStack, this.sampleSlept, this.sampleCpu]) {
            const before = column.items.slice(first, end);
            for (let i = first; i < end; i++)
                column.items[i] = before[order[i - first]];
        }
    }

    /* From which sample on an event keeps the others waiting, and for how long. */
    readDelays(thread) {
        for (let since, at = thread.first - 1; (since = this.reader.number()) !== 0;) {
            at += since;
            thread.delayIndex.push(at);
            thread.delayUs.push(this.reader.number());
        }
    }

    readMarkers(thread) {
        const reader = this.reader;
        thread.firstMarker = this.markerName.count;
        thread.markerCount = reader.number();
        for (let i = 0, time = 0; i < thread.markerCount; i++) {
            this.markerName.push(reader.number());
            this.markerPhase.push(reader.number());
            time += reader.difference();
            this.markerStart.push(time);
            this.markerEnd.push(time + reader.difference());
            this.markerThread.push(thread.index);
            this.markerPlace.push(reader.place());
        }
    }

    readEvents(thread) {
        thread.firstEvent = this.eventTime.count;
        thread.eventCount = this.reader.number();
        for (let i = 0, time = 0; i < thread.eventCount; i++) {
            time += this.reader.difference();
            this.eventTime.push(time);
            this.eventKind.push(this.reader.number());
        }
    }

    readCounter() {
        const reader = this.reader;
        const counter = { name: reader.text(), category: reader.text(), description: reader.text() };
        const count = reader.number();
        counter.times = new Float64Array(count);
        counter.totals = new Float64Array(count);
        for (let i = 0, time = 0; i < count; i++)
            counter.times[i] = time += reader.difference();
        for (let i = 0, total = 0; i < count; i++)
            counter.totals[i] = total += reader.real();
        this.counters.push(counter);
        this.waitingCounters.push(counter);
    }

    readProcess() {
        const reader = this.reader, isRoot = reader.number();
        const process = { pid: reader.real(), parentPid: reader.real(), start: reader.real() * 1e3,
                          end: reader.real() * 1e3, cpuMs: reader.real(), cpuBeforeMs: reader.real(),
                          code: reader.real(), laterImages: reader.real(), processStart: reader.real() * 1e3,
                          verdict: reader.text(), outcome: reader.text(), reason: reader.text(),
                          executablePlace: reader.place(), commandLinePlace: reader.place(), restUs: 0,
                          threads: this.waiting[isRoot], counters: this.waitingCounters };
        for (const thread of process.threads)
            thread.process = process;
        for (const counter of process.counters)
            counter.process = process;
        this.waiting[isRoot] = [];
        this.waitingCounters = [];
        this.processes.push(process);
    }

    /* Amounts are µs, or samples. */
    readChange(isByCpu) {
        const scale = isByCpu ? 1e-3 : 1;
        return { amounts: [this.reader.real() * scale, this.reader.real() * scale], probability: this.reader.real(),
                 isSignificant: this.reader.number() === 1 };
    }

    readComparison() {
        const reader = this.reader, before = reader.text(), isByCpu = reader.number() === 1;
        const comparesShares = reader.number() === 1, scale = isByCpu ? 1e-3 : 1;
        const sampled = [reader.real() * scale, reader.real() * scale], functions = [];
        for (let count = reader.number(); count > 0; count--)
            functions.push({ name: reader.text(), self: this.readChange(isByCpu), total: this.readChange(isByCpu) });
        this.comparison = { before, isByCpu, comparesShares, sampled, functions,
                            byName: new Map(functions.map((item) => [item.name, item])) };
    }

    readMeta() {
        const name = this.reader.text();
        this.meta[name] = JSON.parse(this.reader.text());
    }
}
