/* What stands at the top: what was captured, what is counted, the legend; and what is selected. */

const header = {
    begin() {
        for (const unit of ['cpu', 'samples'])
            byId(`unit-${unit}`).addEventListener('click', () => set({ unit }));
        byId('clear').addEventListener('click', () => this.clear());
        byId('zoom-in').addEventListener('click', () => this.zoomIn());
        byId('search').addEventListener('input', (event) => set({ search: event.target.value }));
        for (const tab of tabNames)
            byId(`tab-${tab}`).addEventListener('click', () => set({ tab }));
        whenChanged(['unit'], () => this.showUnit());
        whenChanged(['tab'], () => this.showTab());
        whenChanged(['range', 'process', 'thread', 'view'], () => this.showChosen());
        whenChanged([...selectionMembers, 'search'], () => this.showMatched());
        whenChanged(['capture'], () => this.showFacts());
    },

    clear() {
        set({ range: null, process: null, thread: null });
    },

    zoomIn() {
        if (state.range !== null)
            setView(state.range.start, state.range.end);
        else if (state.process !== null)
            setView(state.process.start, state.process.end);
    },

    showFacts() {
        const { capture } = state, { meta } = capture, start = new Date(capture.startUnixMs);
        const date = start.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
        const processors = meta.logicalCPUs ? `${meta.logicalCPUs} × ${meta.CPUName || 'CPU'}` : '';
        const facts = [
            ['Recorded', capture.startUnixMs > 0 ? date : ''],
            ['Length', durationText(capture.end - capture.start)],
            ['Processes', countText(capture.processes.length)],
            ['Threads', countText(capture.threads.length)],
            ['CPU time', capture.knowsCpu || capture.totalUs > 0 ? durationText(capture.totalUs) : ''],
            ['Samples', countText(capture.sampleCount)],
            ['Machine', [processors, meta.oscpu].filter(Boolean).join(', ')],
        ];
        byId('facts').replaceChildren(...facts.filter(([, value]) => value !== '').map(
            ([name, value]) => make('div', {}, make('dt', { text: name }), make('dd', { text: value, title: value }))));
        byId('product').textContent = meta.product || 'Profile';
        document.title = `${capture.processes[0]?.name ?? 'Capture'} – ${meta.product || 'profile'}`;
        this.showLegend();
        this.showChosen();
        this.showMatched();
    },

    /* Of what there is. */
    showLegend() {
        const counts = new Map();
        for (const { fate } of state.capture.processes)
            counts.set(fate.kind, (counts.get(fate.kind) || 0) + 1);
        const items = Object.keys(fateKinds).filter((kind) => counts.has(kind)).map((kind) => make(
            'li', { class: kind }, make('i', { class: kind }), `${fateKinds[kind]} ${countText(counts.get(kind))}`));
        if (state.capture.markerName.count > 0)
            items.push(make('li', {}, make('i', { class: 'mark' }), 'marker'));
        if (state.capture.threads.some((thread) => thread.delayUs.some((delay) => delay > 0)))
            items.push(make('li', {}, make('i', { class: 'delay' }), 'event delay'));
        byId('legend').replaceChildren(...items);
    },

    showUnit() {
        for (const unit of ['cpu', 'samples'])
            byId(`unit-${unit}`).setAttribute('aria-checked', String(state.unit === unit));
    },

    showTab() {
        for (const tab of tabNames) {
            byId(`tab-${tab}`).setAttribute('aria-selected', String(state.tab === tab));
            byId(`tab-${tab}`).tabIndex = state.tab === tab ? 0 : -1;
            byId(`panel-${tab}`).hidden = state.tab !== tab;
        }
    },

    showChosen() {
        const { range, process, thread, capture } = state;
        if (capture === null)
            return;
        const step = state.view === null ? 1000 : (state.view.end - state.view.start) / 1000;
        const parts = [];
        if (process !== null)
            parts.push(thread !== null ? threadText(thread) : processText(process));
        if (range !== null)
            parts.push(`${momentText(range.start, step)} – ${momentText(range.end, step)}`,
                       durationText(range.end - range.start));
        byId('chosen').textContent = parts.join(', ');
        byId('zoom-in').disabled = range === null && process === null;
        byId('clear').disabled = range === null && process === null;
    },

    showMatched() {
        if (state.capture === null)
            return;
        byId('matched').textContent = state.search === ''
            ? `${weights.text(weights.whole())}${state.unit === 'cpu' ? ' sampled' : ''}`
            : `${shareText(weights.ofMatches(), weights.whole())} of ${weights.text(weights.whole())} matched`;
    },
};

const tabNames = ['flame', 'functions', 'calls', 'markers', 'changes'];

function isOffered(tab) {
    return !byId(`tab-${tab}`).hidden;
}
