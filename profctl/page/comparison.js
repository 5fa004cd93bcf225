/* What has changed since another profile, of all processes and all of the time: a table, and colours of the flame
 * graph. What each profile used is compared, or its share of all. */

const comparisonTable = {
    begin() {
        this.note = make('p', { class: 'note quiet' });
        byId('panel-changes').append(this.note);
        const change = (of) => (item) => changeText(item[of]);
        const changed = (of) => (item) => Math.abs(changeOf(item[of]));
        this.table = new RowTable(byId('panel-changes'), {
            label: 'Changes',
            empty: 'No function here.',
            columns: [
                { title: 'Self, change', class: 'number change', text: change('self'), number: changed('self'),
                  paint: (cell, item) => paintChange(cell, item.self) },
                { title: 'before', class: 'number', text: (item) => comparedText(item.self, 0),
                  number: (item) => item.self.amounts[0] },
                { title: 'now', class: 'number', text: (item) => comparedText(item.self, 1),
                  number: (item) => item.self.amounts[1] },
                { title: 'Total, change', class: 'number change', text: change('total'), number: changed('total'),
                  paint: (cell, item) => paintChange(cell, item.total) },
                { title: 'Chance', class: 'number', text: (item) => chanceText(item.self) },
                { title: 'Function', class: 'wide code', text: (item) => withoutLibrary(item.name) },
                { title: 'Library', class: 'library quiet', text: (item) => libraryOf(item.name) },
            ],
            onChoose: (item) => {
                byId('search').value = item.name;
                set({ search: item.name, tab: 'flame' });
            },
        });
        whenChanged(['capture'], () => this.offer());
        whenChanged(['capture', 'search', 'tab', 'theme'], () => this.show());
        byId('changes').addEventListener('change', (event) => set({ showsChanges: event.target.checked }));
        whenChanged(['showsChanges'], () => { byId('changes').checked = state.showsChanges; });
    },

    /* Where there is nothing to compare with, nothing says so. */
    offer() {
        const { comparison } = state.capture;
        byId('tab-changes').hidden = byId('changes-choice').hidden = comparison === null;
        if (comparison === null)
            return;
        set({ showsChanges: true });
        const [before, now] = comparison.sampled.map((amount) => amountComparedText(amount));
        this.note.textContent = `Since ${comparison.before}: ${before} then, ${now} now, in all processes and all of ` +
                                'the time, whatever is selected. Grey is what chance may do.';
    },

    /* As they come, the significant ones are first. */
    show() {
        if (state.tab !== 'changes' || state.capture === null || state.capture.comparison === null)
            return;
        const search = state.search.toLowerCase();
        this.table.show(state.capture.comparison.functions.filter(({ name }) => name.toLowerCase().includes(search)));
    },
};

/* In what is compared: µs, samples, or parts of all. */
function comparedOf({ amounts }, side) {
    const { comparesShares, sampled } = state.capture.comparison;
    return !comparesShares ? amounts[side] : sampled[side] > 0 ? amounts[side] / sampled[side] : 0;
}

function changeOf(measure) {
    return comparedOf(measure, 1) - comparedOf(measure, 0);
}

function amountComparedText(amount) {
    return state.capture.comparison.isByCpu ? durationText(amount) : countedText(amount, 'sample');
}

function comparedText(measure, side) {
    const compared = comparedOf(measure, side);
    return state.capture.comparison.comparesShares ? `${(100 * compared).toFixed(2)}%` : amountComparedText(compared);
}

function changeText(measure) {
    const change = changeOf(measure), sign = change > 0 ? '+' : change < 0 ? '−' : '±', size = Math.abs(change);
    return sign + (state.capture.comparison.comparesShares ? `${(100 * size).toFixed(2)} %`
                                                           : amountComparedText(size));
}

function chanceText({ probability }) {
    if (Number.isNaN(probability))
        return 'few samples';
    return probability < 0.0001 ? '< 0.01%' : `${(100 * probability).toFixed(probability < 0.01 ? 2 : 0)}%`;
}

function paintChange(cell, measure) {
    cell.classList.toggle('more', measure.isSignificant && changeOf(measure) > 0);
    cell.classList.toggle('less', measure.isSignificant && changeOf(measure) < 0);
    cell.classList.toggle('quiet', !measure.isSignificant);
}

/* Lines about what a function adds up to, for the box beside the pointer. */
function describeChange(name) {
    const found = state.capture.comparison?.byName.get(name);
    if (found === undefined)
        return [];
    const { total } = found, chance = total.isSignificant ? '' : ', which may be chance';
    return [`${comparedText(total, 0)} before, ${comparedText(total, 1)} now: ${changeText(total)}${chance}`];
}

/* Red for more and blue for less, the deeper the larger the part that came or went; grey for what may be chance. */
function changeColour(name) {
    const total = state.capture.comparison.byName.get(name)?.total;
    const isDark = state.theme === 'dark';
    if (total === undefined || !total.isSignificant)
        return isDark ? 'hsl(215 8% 32%)' : 'hsl(215 12% 86%)';
    const change = changeOf(total), most = Math.max(comparedOf(total, 0), comparedOf(total, 1));
    const depth = Math.min(1, Math.abs(change) / most), hue = change > 0 ? 4 : 214;
    return isDark ? `hsl(${hue} ${30 + 35 * depth}% ${34 + 8 * depth}%)`
                  : `hsl(${hue} ${55 + 30 * depth}% ${86 - 22 * depth}%)`;
}
