/** A line on a terminal's stderr that says how far a long command is; silent elsewhere. */
export function createProgress(what: string, stream: NodeJS.WriteStream = process.stderr) {
  const isShown = stream.isTTY === true;
  let shownAtMs = 0;
  return {
    show: (done: number): void => {
      if (!isShown || Date.now() - shownAtMs < 100) return;
      shownAtMs = Date.now();
      stream.write(`\r${done} ${what} …\u001b[K`);
    },
    end: (): void => {
      if (isShown) stream.write("\r\u001b[K");
    },
  };
}
