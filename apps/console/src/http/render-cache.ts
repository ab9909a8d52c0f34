export type RenderCache<T> = ReturnType<typeof createRenderCache<T>>;

/**
 * Creates a cache of rendered pages by key. All callers of a key share one rendering, including one that is in
 * progress, until it is `keptMs` milliseconds old. If a rendering fails, the callers that wait for it receive the
 * error, and the next caller renders again.
 */
export function createRenderCache<T>(keptMs: number, now: () => number = () => performance.now()) {
  const entries = new Map<string, { readonly rendering: Promise<T>; readonly untilMs: number }>();
  return (key: string, render: () => Promise<T>): Promise<T> => {
    const cached = entries.get(key);
    if (cached !== undefined && cached.untilMs > now()) return cached.rendering;
    const entry = { rendering: render(), untilMs: now() + keptMs };
    entries.set(key, entry);
    entry.rendering.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.rendering;
  };
}
