/** The parts of a web stream, by its reader, because not every browser's stream can be iterated. */
export async function* partsOf(stream) {
    const reader = stream.getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done)
                return;
            yield value;
        }
    }
    finally {
        reader.releaseLock();
    }
}
