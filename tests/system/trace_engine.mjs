// The calls of profiles by DevTools' own trace engine, and whether profctl tells the same.
//
//     trace_engine.mjs random FIRST COUNT FOLDER   writes SEED.cpuprofile with random calls there, for each seed
//     trace_engine.mjs extract TRACE FOLDER        writes the profiles in a trace of Chrome there
//     trace_engine.mjs compare ENGINE TOLERANCE (PROFILE CALLS)…
//                         PROFILE is a .cpuprofile, CALLS the .trace.json that profctl makes; TOLERANCE in us
//
// Every call has to be there, with its start, duration, self time and node, and no other.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const [command, ...operands] = process.argv.slice(2);

function read(file) {
    const bytes = fs.readFileSync(file);
    return JSON.parse(file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes);
}

// --- Random profiles ---

/** A number from 0 to 1, from a seed (mulberry32). */
function generator(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** Few functions in few places, so that neighbours are often the same, or but for a column, or a script. */
function randomFrame(below) {
    const script = below(4);
    const urls = ['', 'file:///a.js', 'file:///a.js', 'native V8Runtime'];
    if (script === 0 && below(2) === 0)
        return { functionName: `builtin${below(2)}`, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 };
    return {
        functionName: below(12) === 0 ? '(program)' : 'fgh'[below(3)],
        scriptId: String(script === 3 && below(4) > 0 ? 2 : script + 1),
        url: script === 3 && below(4) > 0 ? urls[1] : urls[script],
        lineNumber: below(2), columnNumber: below(3),
    };
}

const metaFrame = (functionName, line = -1) =>
    ({ functionName, scriptId: '0', url: '', lineNumber: line, columnNumber: line });

function randomProfile(seed) {
    const random = generator(seed), below = limit => Math.floor(random() * limit);
    const nodes = [{ id: 1, callFrame: metaFrame('(root)') }];
    const add = (parent, callFrame) => nodes.push({ id: nodes.length + 1, callFrame, parent }) && nodes.length;
    const metas = ['(program)', '(idle)', '(garbage collector)'].filter(() => below(8) > 0)
        .map(name => add(1, metaFrame(name, below(3) - 1)));
    const total = 2 + below(60);
    const taken = new Set();
    while (nodes.length < total) {
        const depth = below(3) === 0 ? 1 : 1 + below(nodes.length);
        const frame = randomFrame(below), key = JSON.stringify([depth, frame]);
        if (taken.size < 200 && (!taken.has(key) || below(3) === 0) && !(depth === 1 && frame.functionName === '(program)'))
            add(depth, frame);
        taken.add(key);
        if (taken.size >= 200)
            break;
    }
    const samples = [], timeDeltas = [];
    const count = below(4) === 0 ? below(4) : below(400);
    let node = 1;
    for (let i = 0; i < count; i++) {
        if (below(3) === 0)
            node = 1 + below(nodes.length);
        else if (metas.length > 0 && below(4) === 0)
            samples.push(metas[below(metas.length)]);
        if (samples.length === i)
            samples.push(node);
        timeDeltas.push(below(5) === 0 ? below(40) - 20 : below(5000));
    }
    if (below(2) === 0) {
        for (const one of nodes) {
            one.children = nodes.filter(other => other.parent === one.id).map(other => other.id);
            one.hitCount = samples.filter(id => id === one.id).length;
        }
        nodes.forEach(one => delete one.parent);
    }
    const startTime = below(2) === 0 ? 0 : 1e9;
    return { nodes, startTime, endTime: timeDeltas.reduce((a, b) => a + b, startTime), samples, timeDeltas };
}

// --- Profiles of traces ---

function extract(trace, folder) {
    const events = read(trace), profiles = new Map();
    for (const event of Array.isArray(events) ? events : events.traceEvents) {
        const key = `${event.pid}-${event.id}`;
        if (event.name === 'Profile')
            profiles.set(key, { nodes: [], startTime: event.args.data.startTime, samples: [], timeDeltas: [] });
        if (event.name !== 'ProfileChunk' || !profiles.has(key))
            continue;
        const profile = profiles.get(key), data = event.args.data;
        profile.nodes.push(...(data.cpuProfile?.nodes ?? []));
        profile.samples.push(...(data.cpuProfile?.samples ?? []));
        profile.timeDeltas.push(...(data.timeDeltas ?? []));
        profile.endTime = profile.timeDeltas.reduce((a, b) => a + b, profile.startTime);
    }
    for (const [key, profile] of profiles) {
        if (profile.nodes.length > 0 && profile.samples.length > 0)
            fs.writeFileSync(path.join(folder, `${key}.cpuprofile`), JSON.stringify(profile));
    }
}

// --- Calls ---

async function callsOfEngine(engine, profile) {
    const { CPUProfileDataModel } = await import(path.join(engine, 'models/cpu_profile/cpu_profile.js'));
    const { SamplesIntegrator, Trace, TreeHelpers } = await import(path.join(engine, 'models/trace/helpers/helpers.js'));
    const startTime = profile.startTime;
    const model = new CPUProfileDataModel.CPUProfileDataModel(profile);
    const calls = new SamplesIntegrator.SamplesIntegrator(model, '0x1', 1, 1).buildProfileCalls([]);
    const whole = us => Math.round(us * 1000) / 1000; // what divisions by a thousand have added
    for (const call of calls)
        [call.ts, call.dur] = [whole(call.ts - startTime), whole(call.dur ?? 0)];
    Trace.sortTraceEventsInPlace(calls);
    const { entryToNode } = TreeHelpers.treify(calls, { filter: { has: () => true } });
    return calls.map(call => ({
        key: `${call.sampleIndex}:${call.nodeId}`, start: call.ts, duration: call.dur,
        self: entryToNode.get(call)?.selfTime, parts: 1 + (entryToNode.get(call)?.children.length ?? 0),
        name: call.callFrame.functionName,
    }));
}

function callsOfProfctl(trace) {
    return trace.traceEvents.filter(event => event.ph === 'X' && event.cat === 'profile').map(event => ({
        key: `${event.args.sampleIndex}:${event.args.nodeId}`, start: event.ts, duration: event.dur,
        self: event.args.selfTime, name: event.name,
    }));
}

/** Self time is a sum of parts, each of which may be off. */
function isSame(wanted, own, tolerance) {
    return own !== undefined && Math.abs(own.start - wanted.start) <= tolerance &&
        Math.abs(own.duration - wanted.duration) <= tolerance &&
        Math.abs(own.self - wanted.self) <= tolerance * wanted.parts;
}

async function compare(engine, tolerance, profileFile, callsFile) {
    const wanted = await callsOfEngine(engine, read(profileFile));
    const ours = new Map(callsOfProfctl(read(callsFile)).map(call => [call.key, call]));
    const differences = wanted.filter(call => !isSame(call, ours.get(call.key), tolerance));
    wanted.forEach(call => ours.delete(call.key));
    for (const call of differences.slice(0, 5))
        console.error(`the engine has ${JSON.stringify(call)}`);
    for (const own of [...ours.values()].slice(0, 5))
        console.error(`only profctl has ${JSON.stringify(own)}`);
    console.log(`${profileFile}: ${wanted.length} calls, ${differences.length} differ, ${ours.size} are too many`);
    return differences.length === 0 && ours.size === 0;
}

async function compareAll(engine, tolerance, files) {
    let isGood = files.length > 0;
    for (let i = 0; i < files.length; i += 2)
        isGood = await compare(engine, tolerance, files[i], files[i + 1]) && isGood;
    return isGood;
}

function writeRandom(first, count, folder) {
    for (let seed = first; seed < first + count; seed++)
        fs.writeFileSync(path.join(folder, `${seed}.cpuprofile`), JSON.stringify(randomProfile(seed)));
}

switch (command) {
case 'random':
    writeRandom(Number(operands[0]), Number(operands[1]), operands[2]);
    break;
case 'extract':
    extract(...operands);
    break;
case 'compare':
    process.exit(await compareAll(operands[0], Number(operands[1]), operands.slice(2)) ? 0 : 1);
    break;
default:
    throw new Error('random, extract or compare');
}
