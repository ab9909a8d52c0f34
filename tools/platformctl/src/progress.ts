/** Calls `next` with the cursor of each batch until none is left, shows the sum of `matched`, and returns the sums of all counts. */
export async function sumBatches<Counts extends { readonly matched: number }>(
  what: string,
  next: (cursor: string) => Promise<readonly [counts: Counts, nextCursor: string]>,
): Promise<Counts> {
  const progress = createProgress(what);
  let [sum, cursor] = await next("");
  while (cursor !== "") {
    progress.show(sum.matched);
    const [counts, nextCursor] = await next(cursor);
    const names = Object.keys(counts) as (keyof Counts)[];
    sum = Object.fromEntries(
      names.map((name) => [name, Number(sum[name]) + Number(counts[name])]),
    ) as unknown as Counts;
    cursor = nextCursor;
  }
  progress.end();
  return sum;
}

/** Shows the progress of a long command in one line on stderr. It prints nothing if stderr is not a terminal. */
export function createProgress(what: string, stream: NodeJS.WriteStream = process.stderr) {
  const isShown = stream.isTTY === true;
  let shownAtMs = 0;
  return {
    show: (done: number): void => {
      if (!isShown || performance.now() - shownAtMs < 100) return;
      shownAtMs = performance.now();
      stream.write(`\r${done} ${what} …\u001b[K`);
    },
    end: (): void => {
      if (isShown) stream.write("\r\u001b[K");
    },
  };
}
