/* The table of markers, and what their payloads say. */

/* What MARKER says beside its name, in a line. A payload is JSON, whatever a program has put into it. */
function markerDetails(marker) {
    const { reader, markerPlace } = state.capture, text = reader.textAt(markerPlace.items[marker]);
    if (text === '')
        return '';
    let payload;
    try {
        payload = JSON.parse(text);
    } catch {
        return text;
    }
    if (payload.type === 'Text' && typeof payload.name === 'string')
        return payload.name;
    return Object.entries(payload)
        .filter(([name]) => name !== 'type' && name !== 'stack')
        .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
        .join(', ');
}

const markersTable = {
    begin() {
        const markers = (column) => (item) => state.capture[column].items[item];
        const length = (item) => markers('markerEnd')(item) - markers('markerStart')(item);
        const threadOf = (item) => state.capture.threads[markers('markerThread')(item)];
        this.table = new RowTable(byId('panel-markers'), {
            label: 'Markers',
            empty: 'No marker here.',
            columns: [
                { title: 'At', class: 'number', text: (item) => momentText(markers('markerStart')(item), 100),
                  number: markers('markerStart'), isAscending: true },
                { title: 'Lasted', class: 'number',
                  text: (item) => (length(item) > 0 ? durationText(length(item)) : ''),
                  number: length },
                { title: 'Marker', class: 'label-column',
                  text: (item) => state.capture.names[markers('markerName')(item)] },
                { title: 'Details', class: 'wide', text: (item) => markerDetails(item) },
                { title: 'Thread', class: 'library quiet',
                  text: (item) => threadText(threadOf(item)) },
            ],
            onChoose: (item) => {
                if (length(item) > 0)
                    set({ range: { start: markers('markerStart')(item), end: markers('markerEnd')(item) } });
            },
        });
        this.table.sortBy(this.table.columns[0]);
        whenChanged(['range', 'process', 'thread', 'capture', 'search', 'tab'], oncePerFrame(() => this.show()));
    },

    show() {
        if (state.tab !== 'markers' || state.capture === null)
            return;
        const { markerStart, markerEnd, markerName, markerIsHidden, names } = state.capture, items = [];
        const range = selectedRange(), search = state.search.toLowerCase();
        for (const { firstMarker, markerCount } of selectedThreads()) {
            for (let i = firstMarker; i < firstMarker + markerCount; i++) {
                const isInside = markerStart.items[i] <= range.end && markerEnd.items[i] >= range.start;
                const isMatch = search === '' || names[markerName.items[i]].toLowerCase().includes(search) ||
                                markerDetails(i).toLowerCase().includes(search);
                if (isInside && isMatch && markerIsHidden[i] === 0)
                    items.push(i);
            }
        }
        this.table.show(items);
    },
};
