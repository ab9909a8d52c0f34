import { type Channel, type ReceivedAttempt, recipientKey, type SinkMessage } from "./message.ts";
import { Queue } from "./queue.ts";

export type MessageFilter = {
  channel?: Channel;
  to?: string;
  /** Only messages that arrived after the one with this id. */
  after?: string;
  /** Maximum number of matching messages. If more match, the newest are returned, oldest first. */
  newest?: number;
  /** Waits until this many messages match (default 1), for at most `waitMs` milliseconds (default 0, which does not wait). */
  count?: number;
  waitMs?: number;
};

export type MessageStoreOptions = {
  maxMessages: number;
  /** Limit on the sum of the stored raw bytes, regardless of their number. */
  maxBytes: number;
};

type Stored = { sequence: number; receivedAt: Date; attempt: ReceivedAttempt };
type Waiter = { filter: MessageFilter; count: number; wake: () => void };

/**
 * Keeps received messages in memory and evicts the oldest at its limits. Messages are indexed by channel and recipient,
 * so finding one recipient among 200,000 messages is cheap.
 */
export class MessageStore {
  readonly #options: MessageStoreOptions;
  readonly #lists = new Map<string, Queue<Stored>>();
  readonly #waiters = new Set<Waiter>();
  readonly #totals = new Map<Channel, number>();
  #all = new Queue<Stored>();
  #sequence = 0;
  #revision = 0;
  #bytes = 0;

  constructor(options: MessageStoreOptions) {
    this.#options = options;
  }

  /** Counts the changes of the stored messages. */
  get revision(): number {
    return this.#revision;
  }

  add(attempt: ReceivedAttempt): void {
    this.#revision += 1;
    this.#sequence += 1;
    const stored: Stored = { sequence: this.#sequence, receivedAt: new Date(), attempt };
    this.#all.push(stored);
    for (const key of listKeys(attempt)) {
      const list = this.#lists.get(key);
      if (list) list.push(stored);
      else this.#lists.set(key, newQueue(stored));
    }
    this.#bytes += attempt.raw.byteLength;
    this.#totals.set(attempt.channel, (this.#totals.get(attempt.channel) ?? 0) + 1);
    while (this.#all.size > this.#options.maxMessages || (this.#bytes > this.#options.maxBytes && this.#all.size > 1)) {
      this.#evictOldest();
    }
    for (const waiter of this.#waiters) {
      if (concerns(waiter.filter, attempt) && this.#select(waiter.filter).size >= waiter.count) waiter.wake();
    }
  }

  /**
   * Returns the messages that match, oldest first. With `waitMs`, it resolves as soon as `count` messages match, and otherwise after that time with those
   * that match.
   */
  async find(filter: MessageFilter = {}, signal?: AbortSignal): Promise<SinkMessage[]> {
    const messages: SinkMessage[] = [];
    for await (const message of this.read(filter, signal)) messages.push(message);
    return messages;
  }

  /** Yields the same messages as `find` one by one, so that a caller can write 200,000 messages without one huge text in memory. */
  async *read(filter: MessageFilter = {}, signal?: AbortSignal): AsyncGenerator<SinkMessage> {
    await this.#untilEnough(filter, signal);
    const { list, position, size } = this.#select(filter);
    const skipped = filter.newest === undefined ? 0 : Math.max(0, size - filter.newest);
    for (const stored of list?.from(position + skipped) ?? []) yield await render(stored);
  }

  async get(id: string): Promise<SinkMessage | null> {
    const position = this.#all.firstPosition((stored) => stored.sequence >= Number(id));
    const stored = this.#all.at(position);
    return stored && String(stored.sequence) === id ? render(stored) : null;
  }

  /** Returns the number of attempts per channel since the start or the last `clear`, including evicted ones. */
  totals(): Record<string, number> {
    return Object.fromEntries(this.#totals);
  }

  clear(): void {
    this.#revision += 1;
    this.#all = new Queue();
    this.#lists.clear();
    this.#totals.clear();
    this.#bytes = 0;
  }

  /** Ends every waiting reader with the current messages. */
  close(): void {
    for (const waiter of this.#waiters) waiter.wake();
  }

  #select(filter: MessageFilter): { list: Queue<Stored> | undefined; position: number; size: number } {
    const list = this.#listFor(filter);
    if (!list) return { list, position: 0, size: 0 };
    const after = Number(filter.after ?? 0);
    const position = after > 0 ? list.firstPosition((stored) => stored.sequence > after) : 0;
    return { list, position, size: list.size - position };
  }

  #listFor({ channel, to }: MessageFilter): Queue<Stored> | undefined {
    if (to !== undefined) return this.#lists.get(`${channel ?? "*"} ${recipientKey(to)}`);
    return channel === undefined ? this.#all : this.#lists.get(channel);
  }

  async #untilEnough(filter: MessageFilter, signal?: AbortSignal): Promise<void> {
    const count = filter.count ?? 1;
    const waitMs = filter.waitMs ?? 0;
    if (waitMs <= 0 || this.#select(filter).size >= count || signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { filter, count, wake: resolve };
    this.#waiters.add(waiter);
    const timer = setTimeout(resolve, waitMs);
    signal?.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.#waiters.delete(waiter);
  }

  #evictOldest(): void {
    const oldest = this.#all.shift();
    if (!oldest) return;
    this.#bytes -= oldest.attempt.raw.byteLength;
    for (const key of listKeys(oldest.attempt)) {
      const list = this.#lists.get(key);
      list?.shift();
      if (list?.size === 0) this.#lists.delete(key);
    }
  }
}

function newQueue(first: Stored): Queue<Stored> {
  const queue = new Queue<Stored>();
  queue.push(first);
  return queue;
}

function listKeys(attempt: ReceivedAttempt): string[] {
  const recipient = recipientKey(attempt.to);
  return [attempt.channel, `${attempt.channel} ${recipient}`, `* ${recipient}`];
}

function concerns(filter: MessageFilter, attempt: ReceivedAttempt): boolean {
  if (filter.channel !== undefined && filter.channel !== attempt.channel) return false;
  return filter.to === undefined || recipientKey(filter.to) === recipientKey(attempt.to);
}

async function render({ sequence, receivedAt, attempt }: Stored): Promise<SinkMessage> {
  return {
    id: String(sequence),
    channel: attempt.channel,
    to: attempt.to,
    received_at: receivedAt.toISOString(),
    answered_status: attempt.answeredStatus,
    headers: await attempt.readHeaders(),
    raw: attempt.readRaw(),
    parsed: (await attempt.readParsed()) ?? null,
  };
}
