/* A table of which only the rows that are seen exist. COLUMNS are { title, class, text(item), paint(cell, item),
 * number(item), isAscending }: a click on the title of one with numbers sorts by them, the largest first unless it is
 * ascending. */

const ROW_PX = 24;

class RowTable {
    constructor(panel, { columns, label, onChoose, empty }) {
        Object.assign(this, { panel, columns, onChoose, empty, items: [], chosen: -1, sorted: null });
        this.head = make('div', { class: 'row head', role: 'row' }, ...columns.map((column) => this.makeTitle(column)));
        this.space = make('div', { class: 'rows-space' });
        this.body = make('div', { class: 'rows-body', role: 'rowgroup' });
        this.scroller = make('div', { class: 'table', role: 'grid', tabindex: '0', 'aria-label': label }, this.head,
                             this.body, this.space);
        panel.append(this.scroller);
        this.scroller.addEventListener('scroll', oncePerFrame(() => this.draw()));
        this.scroller.addEventListener('keydown', (event) => this.takeKey(event));
        new ResizeObserver(() => this.draw()).observe(this.scroller);
    }

    makeTitle(column) {
        if (column.number === undefined)
            return make('span', { class: column.class, role: 'columnheader', text: column.title });
        const button = make('button', { text: column.title });
        button.addEventListener('click', () => this.sortBy(column));
        column.head = make('span', { class: column.class, role: 'columnheader', 'aria-sort': 'none' }, button);
        return column.head;
    }

    sortBy(column) {
        this.sorted?.head.setAttribute('aria-sort', 'none');
        this.sorted = column;
        column.head.setAttribute('aria-sort', column.isAscending ? 'ascending' : 'descending');
        this.show(this.items);
    }

    show(items) {
        const { number, isAscending } = this.sorted || {};
        this.items = number === undefined ? items
                                          : items.sort((a, b) => (isAscending ? 1 : -1) * (number(a) - number(b)));
        this.chosen = -1;
        this.space.style.height = `${items.length * ROW_PX}px`;
        this.scroller.setAttribute('aria-rowcount', String(items.length + 1));
        this.draw();
    }

    draw() {
        if (this.panel.hidden)
            return;
        const first = Math.floor(this.scroller.scrollTop / ROW_PX);
        const last = Math.min(this.items.length, first + Math.ceil(this.scroller.clientHeight / ROW_PX) + 1);
        const rows = [];
        for (let i = first; i < last; i++)
            rows.push(this.makeRow(i));
        if (this.items.length === 0)
            rows.push(make('div', { class: 'nothing', text: this.empty }));
        this.body.replaceChildren(...rows);
        this.body.style.top = `${ROW_PX + first * ROW_PX}px`;
    }

    makeRow(index) {
        const item = this.items[index];
        const row = make('div', { class: index === this.chosen ? 'row chosen' : 'row', role: 'row',
                                  'aria-rowindex': String(index + 2), 'aria-selected': String(index === this.chosen) });
        for (const column of this.columns) {
            const text = column.text(item);
            const cell = make('span', { class: column.class, role: 'gridcell', text, title: text });
            column.paint?.(cell, item);
            row.append(cell);
        }
        row.addEventListener('click', () => this.choose(index));
        row.addEventListener('dblclick', () => this.onChoose?.(item));
        return row;
    }

    choose(index) {
        this.chosen = Math.max(0, Math.min(this.items.length - 1, index));
        const top = this.chosen * ROW_PX, { scrollTop, clientHeight } = this.scroller;
        if (top < scrollTop)
            this.scroller.scrollTop = top;
        else if (top + 2 * ROW_PX > scrollTop + clientHeight)
            this.scroller.scrollTop = top + 2 * ROW_PX - clientHeight;
        this.draw();
    }

    takeKey(event) {
        const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_PX) - 2);
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
        if (event.key === 'Enter' && this.chosen >= 0)
            this.onChoose?.(this.items[this.chosen]);
        else if (steps[event.key] !== undefined && this.items.length > 0)
            this.choose(this.chosen + steps[event.key]);
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    }
}
