/* What the graphs of the time line show, a value for each pixel of WIDTH. */

/* Adds USED µs, which were used between START and END, to the bins of VIEW. */
function spreadOver(bins, view, start, end, used) {
    const perBin = (view.end - view.start) / bins.length;
    const first = (start - view.start) / perBin, last = (end - view.start) / perBin;
    const from = Math.max(0, Math.floor(first)), to = Math.min(bins.length - 1, Math.floor(last));
    if (from === to || last <= first) {
        if (to >= 0 && to < bins.length && last >= 0)
            bins[to] += used * (last > first ? (Math.min(last, to + 1) - Math.max(first, to)) / (last - first) : 1);
        return;
    }
    const density = used / (last - first);
    for (let i = from; i <= to; i++)
        bins[i] += density * (Math.min(last, i + 1) - Math.max(first, i));
}

/* How many processors THREADS kept busy; of threads whose CPU use is not told, how many samples had a stack. Those of
 * PROCESSES that were too short for a sample were busy for all of their lives, evenly. */
function cpuBins(threads, view, width, processes = []) {
    const { sampleTime, sampleCpu, sampleStack } = state.capture;
    const times = sampleTime.items, cpu = sampleCpu.items, stacks = sampleStack.items;
    const bins = new Float64Array(width), perBin = (view.end - view.start) / width;
    for (const thread of threads) {
        const isCpu = thread.knowsCpu && state.unit === 'cpu', tick = thread.tickUs || 1000;
        const last = thread.first + thread.count;
        for (let i = state.capture.sampleAt(thread, view.start); i < last; i++) {
            const used = isCpu ? cpu[i] : stacks[i] !== 0 ? tick : 0, end = times[i];
            if (used > 0)
                spreadOver(bins, view, Math.max(end - used, i > thread.first ? times[i - 1] : -Infinity), end, used);
            if (end > view.end)
                break;
        }
    }
    for (const { start, end, sampledUs, totalUs } of state.unit === 'cpu' ? processes : []) {
        if (sampledUs === 0 && totalUs > 0)
            spreadOver(bins, view, start, end, totalUs);
    }
    return bins.map((used) => used / perBin);
}

/* Of each pixel, whether a marker of THREADS begins there. */
function markerBins(threads, view, width) {
    const { markerStart, markerIsHidden } = state.capture, bins = new Uint8Array(width);
    const scale = width / (view.end - view.start);
    for (const thread of threads) {
        for (let i = thread.firstMarker; i < thread.firstMarker + thread.markerCount; i++) {
            const at = Math.floor((markerStart.items[i] - view.start) * scale);
            if (at >= 0 && at < width && markerIsHidden[i] === 0)
                bins[at] = 1;
        }
    }
    return bins;
}

/* The longest event delay of THREADS in each pixel, in µs. */
function delayBins(threads, view, width) {
    const times = state.capture.sampleTime.items, bins = new Float64Array(width);
    const scale = width / (view.end - view.start);
    for (const { delayIndex, delayUs, first, count } of threads) {
        for (let k = 0; k < delayIndex.length; k++) {
            const until = times[k + 1 < delayIndex.length ? delayIndex[k + 1] : first + count - 1];
            const from = Math.max(0, Math.floor((times[delayIndex[k]] - view.start) * scale));
            const to = Math.min(width - 1, Math.floor((until - view.start) * scale));
            for (let at = from; at <= to && delayUs[k] > 0; at++)
                bins[at] = Math.max(bins[at], delayUs[k]);
        }
    }
    return bins;
}

/* Counters of these categories tell what flows, all others what there is. */
const flowCategories = ['CPU', 'power', 'Bandwidth'];

/* What COUNTER has in each pixel; NAN before it says anything. */
function counterBins(counter, view, width) {
    const { times, totals } = counter, bins = new Float64Array(width).fill(NaN);
    const isFlow = flowCategories.includes(counter.category), perBin = (view.end - view.start) / width;
    for (let i = isFlow ? 1 : 0; i < times.length; i++) {
        const from = isFlow ? times[i - 1] : times[i];
        const to = isFlow ? times[i] : i + 1 < times.length ? times[i + 1] : view.end;
        const value = isFlow ? (totals[i] - totals[i - 1]) / Math.max(1, to - from) : totals[i];
        const first = Math.max(0, Math.floor((from - view.start) / perBin));
        const last = Math.min(width - 1, Math.floor((to - view.start) / perBin));
        for (let at = first; at <= last; at++)
            bins[at] = Number.isNaN(bins[at]) ? value : Math.max(bins[at], value);
    }
    return bins;
}

/* Fills what is under BINS, of which MOST is as high as HEIGHT, standing on BASE. */
function fillBins(context, bins, left, base, height, most, colour) {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(left, base);
    for (let i = 0; i < bins.length; i++) {
        const high = bins[i] > 0 ? Math.max(0.5, Math.min(1, bins[i] / most) * height) : 0;
        context.lineTo(left + i, base - high);
        context.lineTo(left + i + 1, base - high);
    }
    context.lineTo(left + bins.length, base);
    context.fill();
}

function mostOf(bins) {
    let most = 0;
    for (const value of bins)
        most = value > most ? value : most;
    return most;
}
