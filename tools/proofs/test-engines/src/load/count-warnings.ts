const shownMax = 8;

/**
 * Counts the log lines of a platform by part, text and error, so that the report of a failed load contains the
 * platform's messages.
 */
export function countWarnings(): { add(line: string): void; most(): string[] } {
  const counts = new Map<string, number>();
  return {
    add: (line) => {
      if (!line.startsWith("{")) return;
      try {
        const { service, msg, err } = JSON.parse(line) as {
          service?: string;
          msg?: string;
          err?: { message?: string };
        };
        const text = [service, msg, err?.message?.slice(0, 100)].filter((part) => part !== undefined).join(": ");
        counts.set(text, (counts.get(text) ?? 0) + 1);
      } catch {
        // A truncated line contains no result.
      }
    },
    most: () =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .slice(0, shownMax)
        .map(([text, count]) => `${count} × ${text}`),
  };
}
