/** The live tails of each session, which a sign-out ends. */
export type Tails = ReturnType<typeof createTails>;

export function createTails() {
  const open = new Map<string, Set<AbortController>>();
  return {
    /**
     * Registers a live tail. @returns a signal that aborts when the session ends at this console; call `close` when the
     * tail has ended
     */
    begin: (sessionId: string): { readonly signal: AbortSignal; close(): void } => {
      const tail = new AbortController();
      const tails = open.get(sessionId) ?? new Set();
      open.set(sessionId, tails.add(tail));
      return {
        signal: tail.signal,
        close: () => {
          tails.delete(tail);
          if (tails.size === 0 && open.get(sessionId) === tails) open.delete(sessionId);
        },
      };
    },
    /** Ends every tail of a session. */
    end: (sessionId: string): void => {
      for (const tail of open.get(sessionId) ?? []) tail.abort();
      open.delete(sessionId);
    },
  };
}
