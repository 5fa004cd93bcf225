/* The axis, with the CPU use of all processes under it; and how time is selected by dragging. */

const LABEL_PX = 340; /* of the names at the left; as in the style sheet */

/* 1, 2 or 5 times a power of ten, so that there are at most MOST steps in LENGTH. */
function niceStep(length, most) {
    const power = 10 ** Math.floor(Math.log10(length / most));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => length / step <= most);
}

function timeAtX(x, width) {
    return state.view.start + (state.view.end - state.view.start) * Math.min(Math.max(x / width, 0), 1);
}

function xOfTime(time, width) {
    return (time - state.view.start) / (state.view.end - state.view.start) * width;
}

/* Calls EACH for every tick of the axis. */
function forEachTick(width, each) {
    const { start, end } = state.view, step = niceStep(end - start, Math.max(2, width / 110));
    for (let i = Math.ceil(start / step); i * step <= end; i++)
        each(xOfTime(i * step, width), momentText(i * step, step));
}

/* Shades what is not selected. */
function shadeOutside(context, left, width, height) {
    if (state.range === null)
        return;
    const from = Math.min(Math.max(xOfTime(state.range.start, width), 0), width);
    const to = Math.min(Math.max(xOfTime(state.range.end, width), 0), width);
    context.fillStyle = theme.colours.select;
    context.fillRect(left, 0, from, height);
    context.fillRect(left + to, 0, width - to, height);
    context.fillStyle = theme.colours.accent;
    context.fillRect(left + from - 0.5, 0, 1, height);
    context.fillRect(left + to - 0.5, 0, 1, height);
}

/* Dragging on ELEMENT, whose time line begins LEFT pixels from its edge, selects a time; ONCLICK gets what did
 * not move. */
function selectByDragging(element, left, onClick) {
    const xOf = (event) => event.clientX - element.getBoundingClientRect().left - left();
    const widthOf = () => element.clientWidth - left();
    let begun = null;
    element.addEventListener('pointerdown', (event) => {
        if (event.button !== 0 || event.target.closest('button') !== null)
            return;
        begun = { x: xOf(event), time: timeAtX(xOf(event), widthOf()), isDrag: false };
    });
    element.addEventListener('pointermove', (event) => {
        if (begun === null || begun.x < 0 || (!begun.isDrag && Math.abs(xOf(event) - begun.x) < 4))
            return;
        if (!begun.isDrag)
            element.setPointerCapture(event.pointerId);
        begun.isDrag = true;
        tip.hide();
        const time = timeAtX(xOf(event), widthOf());
        set({ range: { start: Math.min(time, begun.time), end: Math.max(time, begun.time) } });
    });
    element.addEventListener('pointerup', (event) => {
        if (begun !== null && !begun.isDrag)
            onClick?.(event);
        begun = null;
    });
    element.addEventListener('pointercancel', () => { begun = null; });
    element.addEventListener('wheel', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey)
            zoomView(1.0015 ** event.deltaY, timeAtX(xOf(event), widthOf()));
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey)
            panView((event.deltaX || event.deltaY) / widthOf());
        else
            return;
        event.preventDefault();
    }, { passive: false });
}

const overview = {
    AXIS_PX: 20,
    HEIGHT_PX: 62,

    begin() {
        this.canvas = byId('overview');
        this.draw = oncePerFrame(() => this.drawNow());
        whenChanged(['capture', 'view', 'range', 'unit', 'theme'], this.draw);
        new ResizeObserver(() => this.drawNow()).observe(this.canvas.parentElement);
        selectByDragging(this.canvas, () => 0, () => set({ range: null }));
    },

    drawNow() {
        if (state.view === null)
            return;
        const width = Math.max(50, this.canvas.parentElement.clientWidth - LABEL_PX), height = this.HEIGHT_PX;
        const context = prepareCanvas(this.canvas, width, height), colours = theme.colours;
        const bins = cpuBins(state.capture.threads, state.view, width, state.capture.processes);
        const most = Math.max(1, mostOf(bins));
        context.font = '11px system-ui, sans-serif';
        forEachTick(width, (x, text) => {
            context.fillStyle = colours.line;
            context.fillRect(Math.round(x), 0, 1, height);
            context.fillStyle = colours.quiet;
            context.fillText(text, x + 4, 13);
        });
        fillBins(context, bins, 0, height, height - this.AXIS_PX, most, colours.graph);
        byId('overview-most').textContent = `at most ${most.toFixed(1)} ${state.unit === 'cpu' ? 'CPUs' : 'threads'}`;
        shadeOutside(context, 0, width, height);
    },
};
