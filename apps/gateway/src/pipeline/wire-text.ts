import { STATUS_CODES } from "node:http";
import { keepAliveTimeoutMs, requestsPerConnectionMax } from "@platform/service-kit/http/serve-http";

/**
 * An answer as Node would write it to a connection that is kept.
 * @param body ASCII only, as are the headers
 */
export function wireText(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return `${text}content-length: ${body.length}\r\nDate: ${httpDate()}\r\n${keepAliveLines}\r\n${body}`;
}

const keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveTimeoutMs / 1_000}, max=${requestsPerConnectionMax}\r\n`;

let dateOfSecond = { second: 0, text: "" };

/** The time as HTTP writes it (RFC 9110, 5.6.7), made once a second. */
function httpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1_000);
  if (dateOfSecond.second !== second) dateOfSecond = { second, text: new Date(nowMs).toUTCString() };
  return dateOfSecond.text;
}
