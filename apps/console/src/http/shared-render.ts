export type SharedRender<T> = ReturnType<typeof createSharedRender<T>>;

/** What several people are shown is made once for all of them within `keptMs`; one that fails is made anew. */
export function createSharedRender<T>(keptMs: number, now: () => number = () => performance.now()) {
  const known = new Map<string, { readonly made: Promise<T>; readonly untilMs: number }>();
  return (key: string, make: () => Promise<T>): Promise<T> => {
    const earlier = known.get(key);
    if (earlier !== undefined && earlier.untilMs > now()) return earlier.made;
    const entry = { made: make(), untilMs: now() + keptMs };
    known.set(key, entry);
    entry.made.catch(() => {
      if (known.get(key) === entry) known.delete(key);
    });
    return entry.made;
  };
}
