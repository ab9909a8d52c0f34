import { platformProcess } from "./one-process.ts";

/**
 * Formats a process's log line for the terminal, prefixed with the process's name; null if the line is not worth
 * showing.
 */
export function consoleLine(name: string, line: string, showAll: boolean): string | null {
  const record = parseRecord(line);
  // With several parts in one process, each line names its own part.
  const prefix = `${(name === platformProcess ? (record?.service ?? name) : name).padEnd(18)} | `;
  // The identity provider logs this line at every start.
  if (record === null && line.startsWith("oidc-provider WARNING") && !showAll) return null;
  if (record === null)
    return showAll || name.endsWith("svc") || name.startsWith("gateway") || name === platformProcess
      ? prefix + line
      : null;
  const isNotable = record.level === "warn" || record.level === "error" || record.level === "fatal";
  if (!showAll && !isNotable) return null;
  const reason = record.err?.message === undefined ? "" : `: ${record.err.message}`;
  return `${prefix}${record.level} ${record.msg ?? ""}${reason}`;
}

type LogRecord = { service?: string; level?: string; msg?: string; err?: { message?: string } };

function parseRecord(line: string): LogRecord | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return null;
  }
}
