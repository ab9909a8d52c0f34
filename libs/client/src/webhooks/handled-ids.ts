/** Remembers which calls were handled, so that a repeat does nothing twice. Several processes need one in a store they share. */
export type HandledIds = {
  /**
   * Claims the id for handling: `new` if it was not claimed, `running` while it is being handled, `done` once it is
   * handled.
   */
  begin(id: string): Promise<"new" | "running" | "done">;
  /** Records that the id was handled. */
  finish(id: string): Promise<void>;
  /** Records that handling failed, so that the id may be started again. */
  abandon(id: string): Promise<void>;
};

/** The platform retries a call for hours; an id is kept until this many newer ones have arrived. */
const idsMax = 100_000;

/** Remembers ids in this process, and forgets them with it. */
export function handledIdsInMemory(): HandledIds {
  const states = new Map<string, "running" | "done">();
  return {
    begin: async (id) => {
      const known = states.get(id);
      if (known !== undefined) return known;
      states.set(id, "running");
      const [oldest] = states.keys();
      if (states.size > idsMax && oldest !== undefined) states.delete(oldest);
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
