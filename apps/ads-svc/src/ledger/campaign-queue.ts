import type { Campaign } from "../domain/campaign.ts";
import { chargeNext, type LedgerEnd } from "../domain/charge.ts";
import type { ImpressionFacts } from "../domain/impression.ts";
import { type ImpressionDocument, toImpressionDocument } from "../store/impressions.ts";

/** The outcome of a reported impression. */
export type RecordOutcome = {
  /** False if the impression was recorded before. */
  readonly recorded: boolean;
  readonly chargedMinor: number;
};

/** An impression that waits for its ledger append. */
export type WaitingImpression = {
  readonly facts: ImpressionFacts;
  /** Id of this call, which the stored document contains. */
  readonly claim: string;
  readonly deadlineMs: number;
  /** Number of appends that failed without a response. */
  tries: number;
  /** True if the impression may already be in the ledger, so that it must be looked up before it is appended again. */
  isUncertain: boolean;
  readonly resolve: (outcome: RecordOutcome) => void;
  readonly reject: (error: Error) => void;
};

/**
 * What this process knows of one campaign's ledger. It may be outdated; the unique index on (campaign, ordinal)
 * ensures correctness.
 */
export type CampaignQueue = {
  /** The campaign as it was when the latest impression arrived. */
  campaign: Campaign;
  waiting: WaitingImpression[];
  /**
   * True while an append is in flight. A process has at most one append of a campaign in flight, so that the next one
   * knows its first ordinal.
   */
  isBusy: boolean;
  /** The end of the ledger that is known to be durable; null if unknown. */
  head: LedgerHead | null;
  /**
   * Number of further appends during which another replica is assumed to append as well, so that the head is read
   * before each of them.
   */
  sharedAppends: number;
  appends: number;
};

/**
 * The end of a ledger, and whether its entries record the number of paid impressions. If one entry records it, every
 * later one does.
 */
export type LedgerHead = LedgerEnd & { readonly isTracked: boolean };

/** Number of appends for which a campaign counts as shared after a conflict with another replica. */
const sharedTurnsAfterMeeting = 32;

/**
 * Number of appends after which a process reads the head even without a conflict. Otherwise a replica that has to read
 * the head first would lose every race against one that does not.
 */
const lookEveryAppends = 16;

export function createCampaignQueue(campaign: Campaign): CampaignQueue {
  return { campaign, waiting: [], isBusy: false, head: null, sharedAppends: 0, appends: 0 };
}

/** Returns whether the head must be read before the next append. */
export function isLookDue(queue: CampaignQueue): boolean {
  return queue.head === null || queue.sharedAppends > 0 || queue.appends % lookEveryAppends === lookEveryAppends - 1;
}

/** Stores the head that was read from the database. */
export function learnHead(queue: CampaignQueue, durableHead: LedgerHead): void {
  const known = queue.head;
  if (known !== null && durableHead.ordinal > known.ordinal) queue.sharedAppends = sharedTurnsAfterMeeting;
  else if (queue.sharedAppends > 0) queue.sharedAppends -= 1;
  queue.head = known === null || durableHead.ordinal > known.ordinal ? durableHead : known;
}

/** Marks the head as outdated, because another replica has used an ordinal. */
export function loseHead(queue: CampaignQueue): void {
  queue.head = null;
  queue.sharedAppends = sharedTurnsAfterMeeting;
}

/**
 * Builds the documents of a batch, with the ordinals that follow the head, the charge of each, and the head after
 * each.
 */
export function placeBatch(
  queue: CampaignQueue,
  head: LedgerHead,
  batch: readonly WaitingImpression[],
  recordedAt: Date,
): PlacedImpression[] {
  const { campaign } = queue;
  const { budgetMinor } = campaign;
  const isTracked = head.isTracked || campaign.earlierBudgets.length > 0;
  let end: LedgerEnd = head;
  return batch.map(({ facts, claim }) => {
    const next = chargeNext(campaign, end);
    const { chargedMinor } = next;
    end = next.end;
    const chargeBasis = isTracked ? { budgetMinor, paid: end.paid } : null;
    const placed = { ...facts, campaignId: campaign.id, ordinal: end.ordinal, chargedMinor, chargeBasis, recordedAt };
    return { document: toImpressionDocument(placed, claim), head: { ...end, isTracked } };
  });
}

/** An impression with its ordinal, and the head of the ledger once it is stored. */
export type PlacedImpression = { readonly document: ImpressionDocument; readonly head: LedgerHead };
