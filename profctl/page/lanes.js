/* Lanes: processes of one program that ran one after the other, in one row of the time line. */

/* With more processes than this, rows are lanes unless somebody asks for another order. */
const MOST_PROCESSES_APART = 200;

/* Of the lanes that are free at START, the one that was left last, so that few suffice. */
function freeLane(lanes, start) {
    let best = null;
    for (const lane of lanes) {
        if (lane.end <= start && (best === null || lane.end > best.end))
            best = lane;
    }
    return best;
}

/* PROCESSES as lanes, lists in the order of time; the lane that used most CPU time comes first. */
function inLanes(processes) {
    const byName = new Map();
    for (const process of [...processes].sort((a, b) => a.start - b.start)) {
        const lanes = listAt(byName, process.name);
        let lane = freeLane(lanes, process.start);
        if (lane === null) {
            lane = { processes: [], end: 0, totalUs: 0 };
            lanes.push(lane);
        }
        lane.processes.push(process);
        lane.end = process.end;
        lane.totalUs += process.totalUs;
    }
    const lanes = [...byName.values()].flat().sort((a, b) => b.totalUs - a.totalUs);
    return lanes.map((lane) => lane.processes);
}

/* Of PROCESSES, in the order of time, the one that is nearest to TIME. */
function processNear(processes, time) {
    const distance = ({ start, end }) => Math.max(0, start - time, time - end);
    return processes.reduce((best, process) => distance(process) < distance(best) ? process : best);
}

function busiestOf(processes) {
    return processes.reduce((best, process) => process.totalUs > best.totalUs ? process : best);
}
