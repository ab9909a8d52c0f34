import { timestampDate } from "@bufbuild/protobuf/wkt";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import { clientOf } from "../list.ts";
import type { View } from "../screen.ts";
import type { Visit } from "../visit.ts";

const method = DomainEventConsumerService.method.readEvents;
const pageSize = 50n;
/** Longest wait for events that are in the log. */
const readMsMax = 4_000;
/** A live tail ends after this long; browsers connect again, and who has signed out meanwhile no more. */
const tailMsMax = 10 * 60_000;
const heartbeatMs = 15_000;

export type Positioned = { readonly position: bigint; readonly event: DomainEvent };

const callerOf = ({ session, correlationId }: Visit) => ({ operatorToken: session.operatorToken, correlationId });

/** Where a client's log ends. */
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
 * A page of a client's log: the latest 50 positions, or those before one. Events of other types in them are left out.
 * @returns the events, newest first; the end of the log; the position before the page's first
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

/** New events as they come, by server-sent events. */
export const tailView: View = {
  path: "/events/tail",
  method,
  show: async (visit) => {
    const { response, request, closing } = visit;
    const left = new AbortController();
    response.once("close", () => left.abort());
    const signal = AbortSignal.any([left.signal, closing, AbortSignal.timeout(tailMsMax)]);
    // A browser that connects again says which event it has had last.
    const after = request.get("last-event-id") ?? visit.query("after");
    const message = {
      projectClientId: await clientOf(visit),
      types: visit.query("type") === "" ? [] : [visit.query("type")],
      ...(/^\d{1,15}$/.test(after) ? { afterPosition: BigInt(after) } : {}),
    };
    const stream = await visit.backend.stream(method, message, callerOf(visit), signal);
    response.status(200).set({ "content-type": "text/event-stream", "x-accel-buffering": "no" });
    response.flushHeaders();
    const heartbeat = setInterval(() => response.write(": still here\n\n"), heartbeatMs);
    try {
      for await (const { position, event } of stream) {
        if (event !== undefined)
          response.write(`id: ${position}\ndata: ${JSON.stringify(formOf(position, event))}\n\n`);
      }
    } finally {
      clearInterval(heartbeat);
      response.end();
    }
    return null;
  },
};

function formOf(position: bigint, { id, type, dataJson, publishedAt }: DomainEvent) {
  return {
    position: String(position),
    event: {
      id,
      type,
      published_at: publishedAt === undefined ? "" : timestampDate(publishedAt).toISOString(),
      data: JSON.parse(dataJson) as unknown,
    },
  };
}
