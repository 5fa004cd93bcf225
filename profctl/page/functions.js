/* The table of functions: what each adds up to by itself, and with what it called. */

const functionsTable = {
    begin() {
        const share = (of) => (item) => shareText(item[of], weights.whole());
        this.table = new RowTable(byId('panel-functions'), {
            label: 'Functions',
            empty: 'No function here.',
            columns: [
                { title: 'Self', class: 'number', text: (item) => weights.text(item.self),
                  number: (item) => item.self },
                { title: 'Self %', class: 'number share', text: share('self'), number: (item) => item.self,
                  paint: (cell, item) => paintShare(cell, item.self / weights.whole()) },
                { title: 'Total', class: 'number', text: (item) => weights.text(item.total),
                  number: (item) => item.total },
                { title: 'Total %', class: 'number share', text: share('total'), number: (item) => item.total,
                  paint: (cell, item) => paintShare(cell, item.total / weights.whole()) },
                { title: 'Function', class: 'wide code', text: (item) => withoutLibrary(item.name) },
                { title: 'Library', class: 'library quiet', text: (item) => libraryOf(item.name) },
                { title: 'File', class: 'library quiet', text: (item) => item.file },
            ],
            onChoose: (item) => {
                byId('search').value = item.name;
                set({ search: item.name, tab: 'flame' });
            },
        });
        this.table.sortBy(this.table.columns[0]);
        whenChanged([...selectionMembers, 'capture', 'search', 'tab'], () => this.show());
    },

    show() {
        if (state.tab !== 'functions' || state.capture === null)
            return;
        const { self, total } = weights.ofFunctions(), isMatch = matchedNames(), items = [];
        for (let i = 0; i < total.length; i++) {
            if (total[i] > 0 && (isMatch === null || isMatch[i] === 1))
                items.push({ name: state.capture.names[i], file: state.capture.files[i] ?? '', self: self[i],
                             total: total[i] });
        }
        this.table.show(items);
    },
};

/* A bar behind the number. */
function paintShare(cell, share) {
    cell.style.setProperty('--share', `${(100 * (share || 0)).toFixed(1)}%`);
}
