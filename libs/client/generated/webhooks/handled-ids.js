/** The platform retries a call for hours; an id is kept until this many newer ones have arrived. */
const idsMax = 100_000;
/** Remembers ids in this process, and forgets them with it. */
export function handledIdsInMemory() {
    const states = new Map();
    return {
        begin: async (id) => {
            const known = states.get(id);
            if (known !== undefined)
                return known;
            states.set(id, "running");
            const [oldest] = states.keys();
            if (states.size > idsMax && oldest !== undefined)
                states.delete(oldest);
            return "new";
        },
        finish: async (id) => {
            states.set(id, "done");
        },
        abandon: async (id) => {
            states.delete(id);
        },
    };
}
