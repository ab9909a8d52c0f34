/** Emails that reached the outside world, by the key in their subject. */
export type Arrivals = {
  /** Message-IDs of the accepted emails of each key, in order of arrival. */
  readonly messageIds: ReadonlyMap<string, readonly string[]>;
  /** Adds what has arrived since the last call. */
  poll(): Promise<void>;
  stop(): void;
};

type Mail = {
  readonly id: number;
  readonly answered_status: number | null;
  readonly parsed: { readonly subject?: string };
  readonly raw: string;
};

const pollMs = 500;

/** Follows the provider sink from now on; it forgets the oldest messages by itself, so they are taken as they come. */
export function followArrivals(sinkUrl: string): Arrivals {
  const messageIds = new Map<string, string[]>();
  let after = 0;
  let polling: Promise<void> | null = null;

  const take = async (): Promise<void> => {
    const response = await fetch(`${sinkUrl}/messages?channel=email&after=${after}`);
    for (const mail of (await response.json()) as Mail[]) {
      after = Math.max(after, mail.id);
      const key = mail.parsed.subject;
      if (key === undefined || mail.answered_status !== 250) continue;
      const messageId = /^message-id:\s*(\S+)/im.exec(mail.raw)?.[1] ?? "none";
      messageIds.set(key, [...(messageIds.get(key) ?? []), messageId]);
    }
  };
  const poll = (): Promise<void> => {
    polling ??= take().finally(() => {
      polling = null;
    });
    return polling;
  };
  // The next poll makes up for one that failed, because `after` has not changed.
  const timer = setInterval(() => void poll().catch(() => {}), pollMs);
  return { messageIds, poll, stop: () => clearInterval(timer) };
}
