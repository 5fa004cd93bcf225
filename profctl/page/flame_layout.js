/* Where frames of the flame graph are. A node is { name, weight, parent } and what its kind needs to find its children;
 * nodes that would be narrower than a pixel's part are left out, with all that they called. Stacks may be deep:
 * nothing here calls itself. */

const LEAST_FRAME_PX = 0.4;

/* Callers above callees: a node is a stack of the capture. */
const uprightTree = {
    root() {
        return { name: -1, stack: 0, weight: weights.whole(), parent: null };
    },

    children(node) {
        const { firstChild, nextSibling, stackName } = state.capture, total = weights.withCalls(), children = [];
        for (let at = firstChild[node.stack]; at !== 0; at = nextSibling[at]) {
            if (total[at] > 0)
                children.push({ name: stackName.items[at], stack: at, weight: total[at], parent: node });
        }
        return children;
    },
};

/* Callees above callers: a node has stacks that end in its path, cut off there, and what ended in each. */
const invertedTree = {
    root() {
        const self = weights.ofStacks(), cut = [], amounts = [];
        for (let i = 1; i < self.length; i++) {
            if (self[i] > 0) {
                cut.push(i);
                amounts.push(self[i]);
            }
        }
        return { name: -1, cut, amounts, weight: weights.whole(), parent: null };
    },

    children(node) {
        const { stackName, stackPrefix } = state.capture, byName = new Map();
        node.cut.forEach((stack, i) => {
            if (stack === 0)
                return;
            const name = stackName.items[stack];
            if (!byName.has(name))
                byName.set(name, { name, cut: [], amounts: [], weight: 0, parent: node });
            const child = byName.get(name);
            child.cut.push(stackPrefix.items[stack]);
            child.amounts.push(node.amounts[i]);
            child.weight += node.amounts[i];
        });
        return [...byName.values()];
    },
};

/* The frames of TREE below ROOT, which is as wide as WIDTH, by row: lists of { node, x, width }. */
function layoutFlame(tree, root, width) {
    const rows = [[{ node: root, x: 0, width }]], perWeight = width / root.weight;
    for (let row = 0; root.weight > 0 && row < rows.length; row++) {
        const next = [];
        for (const frame of rows[row]) {
            let x = frame.x;
            const children = tree.children(frame.node).filter((child) => child.weight * perWeight >= LEAST_FRAME_PX);
            for (const child of children.sort((a, b) => b.weight - a.weight)) {
                next.push({ node: child, x, width: child.weight * perWeight });
                x += child.weight * perWeight;
            }
        }
        if (next.length > 0)
            rows.push(next);
    }
    return rows;
}

/* The frame of ROW that is at X, by halving; undefined: none. */
function frameAt(row, x) {
    let low = 0, high = row.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (row[middle].x + row[middle].width <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row.length && row[low].x <= x ? row[low] : undefined;
}
