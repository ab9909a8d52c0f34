/** Why a request is not let in: the process is full, or its caller has more than its share while the process is pressed. */
export type ShedReason = "in_flight" | "event_loop";

export type LoadGate = {
  /** Lets a caller's request in, or says why not. Each request that was let in must `leave`. */
  enter(caller: string): ShedReason | null;
  leave(caller: string): void;
  inFlight(): number;
};

type LoadGateOptions = {
  /** Requests in flight from which on callers are held to their share. A caller below its share is let in up to twice as many. */
  readonly inFlightMax: number;
  /** Requests in flight that callers share while the event loop is pressed. */
  readonly inFlightPressed: number;
  readonly isPressed: () => boolean;
};

/** Least share of a caller, so that many callers at once do not lock each other out. */
const shareMin = 4;

/**
 * Decides by counting, before a request costs anything: as long as there is room everyone is let in; when there is none, whoever holds
 * more than an equal share is refused and the others are not. One caller's flood is thus its own.
 */
export function createLoadGate({ inFlightMax, inFlightPressed, isPressed }: LoadGateOptions): LoadGate {
  const byCaller = new Map<string, number>();
  let total = 0;
  const hasShare = (held: number, shared: number): boolean =>
    held < Math.max(shareMin, Math.floor(shared / Math.max(1, byCaller.size)));
  return {
    enter: (caller) => {
      const held = byCaller.get(caller) ?? 0;
      if (total >= inFlightMax && (total >= 2 * inFlightMax || !hasShare(held, inFlightMax))) return "in_flight";
      if (total >= inFlightPressed && isPressed() && !hasShare(held, inFlightPressed)) return "event_loop";
      total += 1;
      byCaller.set(caller, held + 1);
      return null;
    },
    leave: (caller) => {
      const held = byCaller.get(caller) ?? 0;
      total -= 1;
      if (held <= 1) byCaller.delete(caller);
      else byCaller.set(caller, held - 1);
    },
    inFlight: () => total,
  };
}
