/** The parts of a web stream, by its reader, because not every browser's stream can be iterated. */
export declare function partsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array>;
