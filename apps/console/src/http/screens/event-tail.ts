import { once } from "node:events";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { isServiceError } from "@platform/kit/rpc/errors";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import type { Response } from "express";
import { clientOf } from "../list.ts";
import type { View } from "../screen.ts";
import type { Visit } from "../visit.ts";

const method = DomainEventConsumerService.method.readEvents;
const pageSize = 50n;
/** Longest wait for events that are already in the log, in milliseconds. */
const readMsMax = 4_000;
/** Maximum duration of a live tail in milliseconds. Browsers then reconnect, unless the person has signed out. */
const tailMsMax = 10 * 60_000;
const heartbeatMs = 15_000;
const lookEveryMs = 5_000;
/** If a reader leaves data unread for this long, its tail ends. In milliseconds. */
const slowReaderMsMax = 10_000;

export type Positioned = { readonly position: bigint; readonly event: DomainEvent };

const callerOf = ({ session, correlationId }: Visit) => ({ operatorToken: session.operatorToken, correlationId });

/** Returns the position of the end of a client's log. */
async function headOf(visit: Visit, projectClientId: string): Promise<bigint> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(readMsMax)]);
  for await (const { position } of await visit.backend.stream(method, { projectClientId }, callerOf(visit), signal)) {
    done.abort();
    return position;
  }
  return 0n;
}

/**
 * Reads a page of a client's log: the latest 50 positions, or those before a position. Events of other types are
 * omitted.
 * @returns the events, newest first; the end of the log; and the position before the first one of the page
 */
export async function readEventPage(
  visit: Visit,
  projectClientId: string,
  type: string,
  before: bigint | null,
): Promise<{ events: Positioned[]; head: bigint; from: bigint }> {
  if (projectClientId === "") return { events: [], head: 0n, from: 0n };
  const head = await headOf(visit, projectClientId);
  const last = before === null || before > head ? head : before - 1n;
  const from = last > pageSize ? last - pageSize : 0n;
  const events: Positioned[] = [];
  if (last === 0n) return { events, head, from };
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(readMsMax)]);
  const request = { projectClientId, afterPosition: from, types: type === "" ? [] : [type] };
  for await (const { position, event } of await visit.backend.stream(method, request, callerOf(visit), signal)) {
    if (event !== undefined && position <= last) events.push({ position, event });
    if (position >= last) break;
  }
  done.abort();
  return { events: events.reverse(), head, from };
}

export const tailPath = "/events/tail";

/**
 * Sends new events as they arrive, as server-sent events. A tail ends when its reader stops reading, when the person
 * signs out, or when the assertion with which it was opened expires. Browsers then reconnect, unless the person has
 * signed out.
 */
export const tailView: View = {
  path: tailPath,
  method,
  show: async (visit) => {
    const { response, closing, sessions, sessionId } = visit;
    const ended = new AbortController();
    response.once("close", () => ended.abort());
    const tail = visit.tails.begin(sessionId);
    const signal = AbortSignal.any([ended.signal, tail.signal, closing, AbortSignal.timeout(tailMsMax)]);
    // A browser that reconnects sends the id of the last event that it received.
    const after = visit.header("last-event-id") || visit.query("after");
    // The session is checked regularly, because it may end at another console or because it was idle.
    const looking = setInterval(() => {
      sessions.isOpen(sessionId).then(
        (isOpen) => isOpen || ended.abort(),
        () => {},
      );
    }, lookEveryMs);
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      const message = {
        projectClientId: await clientOf(visit),
        types: visit.query("type") === "" ? [] : [visit.query("type")],
        ...(/^\d{1,15}$/.test(after) ? { afterPosition: BigInt(after) } : {}),
      };
      const stream = await visit.backend.stream(method, message, callerOf(visit), signal);
      response.status(200).set({ "content-type": "text/event-stream", "x-accel-buffering": "no" });
      response.flushHeaders();
      heartbeat = setInterval(() => response.writableNeedDrain || response.write(": still here\n\n"), heartbeatMs);
      for await (const { position, event } of stream) {
        if (event === undefined) continue;
        const isFlowing = response.write(`id: ${position}\ndata: ${formOf(position, event)}\n\n`);
        if (!isFlowing && !(await isDrained(response, signal))) break;
      }
    } catch (error) {
      // The stream ended on this side, or because its assertion expired. The browser reconnects.
      if (!response.headersSent) throw error;
      if (!signal.aborted && !isServiceError(error, "unauthenticated")) throw error;
    } finally {
      clearInterval(heartbeat);
      clearInterval(looking);
      tail.close();
      // Data that a slow reader has not read is discarded, which frees its memory immediately.
      if (response.writableNeedDrain) response.destroy();
      else if (response.headersSent) response.end();
    }
    return null;
  },
};

/**
 * Waits until the reader has read the data that was sent. Returns false if it does not do so within ten seconds, or if
 * the tail ends.
 */
async function isDrained(response: Response, signal: AbortSignal): Promise<boolean> {
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(slowReaderMsMax)]);
  return once(response, "drain", { signal: waiting }).then(
    () => true,
    () => false,
  );
}

/**
 * Returns an event in the form for the browser. Its data is already JSON on one line. It is not parsed, because parsing
 * a large one would block all other pages.
 */
function formOf(position: bigint, { id, type, dataJson, publishedAt }: DomainEvent): string {
  const published_at = publishedAt === undefined ? "" : timestampDate(publishedAt).toISOString();
  const event = JSON.stringify({ id, type, published_at });
  return `{"position":"${position}","event":${event.slice(0, -1)},"data":${dataJson}}}`;
}
