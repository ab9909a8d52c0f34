import { type Claim, createLeaseQueue, type LeaseQueue } from "@platform/kit/jobs/work";
import type { MongoModel } from "@platform/kit/store/schema";

export const mailLeaseMs = 30_000;

/** Next state of an email: due again at a time, or finished. */
export type MailOutcome = { readonly state: "queued" | "sent" | "failed"; readonly dueAt: Date | null };

/** Queue of emails, each of which is part of a document. */
export type MailQueue<D> = Pick<LeaseQueue<D>, "claimNext" | "isHeld" | "leave"> & {
  /** Records the outcome of an attempt, unless another email or worker has replaced it. */
  settle(claim: Claim<D>, outcome: MailOutcome): Promise<void>;
};

/**
 * Creates the queue of the emails in a model's documents.
 * @param options.path path of the email in its document: state, attempts and due time
 * @param options.identity field that identifies the email, if another one may replace it
 */
export function createMailQueue<D extends object>(
  model: MongoModel<D>,
  options: {
    readonly clock: () => Date;
    readonly path: string;
    readonly identity?: readonly string[];
    /** Condition under which a document's email is sent. */
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
