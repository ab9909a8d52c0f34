import { type Claim, createLeaseQueue, type LeaseQueue } from "@platform/service-kit/jobs/lease-queue";
import type { MongoModel } from "@platform/service-kit/mongo/connect";

export const mailLeaseMs = 30_000;

/** How a mail goes on: again at a time, or at its end. */
export type MailOutcome = { readonly state: "queued" | "sent" | "failed"; readonly dueAt: Date | null };

/** Mails that wait in documents of one kind. */
export type MailQueue<D> = Pick<LeaseQueue<D>, "claimNext" | "isHeld" | "leave"> & {
  /** Records what became of a mail, unless another mail or another worker has taken its place. */
  settle(claim: Claim<D>, outcome: MailOutcome): Promise<void>;
};

/**
 * @param options.path where the mail stands in its document: its state, tries and due time
 * @param options.identity what names the mail, where another may take its place
 */
export function createMailQueue<D extends object>(
  model: MongoModel<D>,
  options: {
    readonly clock: () => Date;
    readonly path: string;
    readonly identity?: readonly string[];
    /** What must hold for a document whose mail is sent. */
    readonly where?: Readonly<Record<string, unknown>>;
    readonly onClaim?: (now: Date) => Readonly<Record<string, unknown>>;
  },
): MailQueue<D> {
  const { path, where = {}, ...others } = options;
  const queue = createLeaseQueue<D>(model, {
    ...others,
    leaseMs: mailLeaseMs,
    waiting: where,
    held: where,
    due: `${path}.due_at`,
    attempts: `${path}.attempts`,
  });
  return {
    claimNext: queue.claimNext,
    isHeld: queue.isHeld,
    leave: queue.leave,
    settle: async (claim, { state, dueAt }) =>
      void (await queue.settle(claim, { $set: { [`${path}.state`]: state, [`${path}.due_at`]: dueAt } })),
  };
}
