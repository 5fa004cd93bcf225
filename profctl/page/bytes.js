/* The stream that profctl writes (profctl/convert/page_stream.h): how it is unpacked, and numbers and
 * texts in it. */

async function unpackCapture(base64) {
    const deflated = Uint8Array.fromBase64 !== undefined ? Uint8Array.fromBase64(base64)
                                                         : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const source = new ReadableStream({
        start(controller) {
            controller.enqueue(deflated);
            controller.close();
        },
    });
    const parts = [], reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
    for (let part; !(part = await reader.read()).done;)
        parts.push(part.value);
    return joinBytes(parts);
}

function joinBytes(parts) {
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        joined.set(part, at);
        at += part.length;
    }
    return joined;
}

class ByteReader {
    constructor(bytes) {
        this.bytes = bytes;
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.decoder = new TextDecoder();
        this.at = 0;
    }

    number() {
        const bytes = this.bytes;
        let byte = bytes[this.at++];
        if (byte < 128)
            return byte;
        let value = byte & 127, scale = 128;
        do {
            byte = bytes[this.at++];
            value += (byte & 127) * scale;
            scale *= 128;
        } while (byte >= 128);
        return value;
    }

    difference() {
        const number = this.number();
        return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    }

    real() {
        this.at += 8;
        return this.view.getFloat64(this.at - 8, true);
    }

    text() {
        const length = this.number();
        this.at += length;
        return length === 0 ? '' : this.decoder.decode(this.bytes.subarray(this.at - length, this.at));
    }

    /* Passes over a text, and returns where it stands, for textAt(). */
    place() {
        const place = this.at, length = this.number();
        this.at += length;
        return place;
    }

    textAt(place) {
        const before = this.at;
        this.at = place;
        const text = this.text();
        this.at = before;
        return text;
    }
}

/* A typed array that grows. */
class Column {
    constructor(Type, capacity = 1024) {
        this.items = new Type(capacity);
        this.count = 0;
    }

    /* Makes room for MORE, which the caller writes behind the count. */
    reserve(more) {
        if (this.count + more <= this.items.length)
            return this.items;
        const grown = new this.items.constructor(Math.max(this.items.length * 2, this.count + more));
        grown.set(this.items.subarray(0, this.count));
        this.items = grown;
        return grown;
    }

    push(value) {
        this.reserve(1)[this.count++] = value;
    }
}
