/** Emails that have arrived, by the key in their subject. */
export type Arrivals = {
  /** Message-IDs of the accepted emails of each key, in order of arrival. */
  readonly messageIds: ReadonlyMap<string, readonly string[]>;
  /** Adds the emails that have arrived since the previous call. */
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

/** Reads the messages of the provider sink continuously from now on, because the sink evicts its oldest messages. */
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
  // A failed poll needs no retry: the next one continues at the same position.
  const timer = setInterval(() => void poll().catch(() => {}), pollMs);
  return { messageIds, poll, stop: () => clearInterval(timer) };
}
