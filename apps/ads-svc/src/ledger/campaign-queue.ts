import type { Campaign } from "../domain/campaign.ts";
import { chargeOfOrdinal } from "../domain/charge.ts";
import type { ImpressionFacts } from "../domain/impression.ts";
import { type ImpressionDocument, toImpressionDocument } from "../store/impressions.ts";

/** What became of a decision that was reported viewable. */
export type RecordOutcome = {
  /** False when it was recorded before. */
  readonly recorded: boolean;
  readonly chargedMinor: number;
};

/** An impression on its way into its campaign's ledger. */
export type WaitingImpression = {
  readonly facts: ImpressionFacts;
  /** Names this call in the stored document. */
  readonly claim: string;
  readonly deadlineMs: number;
  /** Appends that failed without an answer. */
  tries: number;
  /** True when it may be in the ledger already: ask before it is appended again. */
  isUncertain: boolean;
  readonly resolve: (outcome: RecordOutcome) => void;
  readonly reject: (error: Error) => void;
};

/** What this process knows of one campaign's ledger. Only a guess of the truth, which is the unique index on (campaign, ordinal). */
export type CampaignQueue = {
  readonly campaign: Campaign;
  waiting: WaitingImpression[];
  /** At most one append of a campaign is under way in a process, so the one behind it knows where to go on. */
  isBusy: boolean;
  /** The highest ordinal known to be durable; null when unknown. */
  head: number | null;
  /** Turns for which another replica is taken to append too: the head is read before each append rather than guessed. */
  sharedTurns: number;
  turns: number;
};

/** How long a campaign is taken as shared after another replica was met. */
const sharedTurnsAfterMeeting = 32;

/**
 * How often a process that believes to be alone looks up. Its appends follow each other without a pause, and a replica that has to read the
 * head first would lose every race against it; after this many appends both read first, and the race is even.
 */
const lookEveryTurns = 16;

export function createCampaignQueue(campaign: Campaign): CampaignQueue {
  return { campaign, waiting: [], isBusy: false, head: null, sharedTurns: 0, turns: 0 };
}

/** Must the head be read before the next append? */
export function isLookDue(queue: CampaignQueue): boolean {
  return queue.head === null || queue.sharedTurns > 0 || queue.turns % lookEveryTurns === lookEveryTurns - 1;
}

/** Takes in what a durable read of the head gave. */
export function learnHead(queue: CampaignQueue, durableHead: number): void {
  if (queue.head !== null && durableHead > queue.head) queue.sharedTurns = sharedTurnsAfterMeeting;
  else if (queue.sharedTurns > 0) queue.sharedTurns -= 1;
  queue.head = Math.max(durableHead, queue.head ?? 0);
}

/** Another replica has an ordinal this one wanted: the head is somewhere above. */
export function loseHead(queue: CampaignQueue): void {
  queue.head = null;
  queue.sharedTurns = sharedTurnsAfterMeeting;
}

/** The documents of a batch, with the ordinals right behind the head and the charge of each. */
export function placeBatch(
  queue: CampaignQueue,
  head: number,
  batch: readonly WaitingImpression[],
  recordedAt: Date,
): ImpressionDocument[] {
  const { campaign } = queue;
  return batch.map(({ facts, claim }, index) => {
    const ordinal = head + 1 + index;
    const chargedMinor = chargeOfOrdinal(campaign, ordinal);
    return toImpressionDocument({ ...facts, campaignId: campaign.id, ordinal, chargedMinor, recordedAt }, claim);
  });
}
