import { type Channel, recipientKey } from "../store/message.ts";
import { type Fault, type FaultRequest, toFault } from "./fault.ts";

type Entry = { fault: Fault; request: FaultRequest; left: number };

/** Stores the remaining faults by channel, stage and recipient. A fault for one recipient has precedence over one for all. */
export class FaultBook {
  readonly #entries = new Map<string, Entry[]>();
  #takenBack = new AbortController();

  add(request: FaultRequest): void {
    const fault = toFault(request, this.#takenBack.signal);
    const key = keyOf(request.channel, fault.stage, request.to);
    const entries = this.#entries.get(key);
    const entry = { fault, request, left: request.times };
    if (entries) entries.push(entry);
    else this.#entries.set(key, [entry]);
  }

  /** Consumes one of the faults that wait for this attempt, oldest first; null if none waits. */
  take(channel: Channel, stage: string, to?: string): Fault | null {
    if (this.#entries.size === 0) return null;
    const forRecipient = to === undefined ? null : this.#takeFirst(keyOf(channel, stage, to));
    return forRecipient ?? this.#takeFirst(keyOf(channel, stage, undefined));
  }

  /** Lists the remaining faults as they were requested, with the remaining number in `times`. */
  list(): FaultRequest[] {
    return [...this.#entries.values()].flat().map(({ request, left }) => ({ ...request, times: left }));
  }

  /** Removes the remaining faults, and ends the delays in progress. */
  clear(): void {
    this.#takenBack.abort();
    this.#takenBack = new AbortController();
    this.#entries.clear();
  }

  #takeFirst(key: string): Fault | null {
    const entries = this.#entries.get(key);
    const first = entries?.[0];
    if (!entries || !first) return null;
    first.left -= 1;
    if (first.left === 0) entries.shift();
    if (entries.length === 0) this.#entries.delete(key);
    return first.fault;
  }
}

function keyOf(channel: Channel, stage: string, to: string | undefined): string {
  return to === undefined ? `${channel} ${stage}` : `${channel} ${stage} ${recipientKey(to)}`;
}
