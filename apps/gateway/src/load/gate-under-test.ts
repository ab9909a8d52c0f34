import { createLoadGate, type LoadGate } from "./load-gate.ts";

/** What a gate finds. */
export type Conditions = { isPressed?: boolean; isSaturated?: boolean; slowdown?: number; inFlightMax?: number };

/** A gate under conditions that a test may change. */
export function gateOf(conditions: Conditions = {}): LoadGate {
  return createLoadGate({
    inFlightMax: conditions.inFlightMax ?? 100,
    inFlightPressed: 40,
    isPressed: () => conditions.isPressed ?? false,
    isSaturated: () => conditions.isSaturated ?? false,
    slowdown: () => conditions.slowdown ?? 1,
  });
}

/** Lets a caller send one request; answers whether it began at once, or when it does. */
export function send(gate: LoadGate, caller: string): null | Promise<void> {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return gate.enter(caller, () => begin()) === null ? null : begun;
}

/** Lets a caller send until it is refused; answers how many run at once, and those that wait. */
export function flood(gate: LoadGate, caller: string, most = 1_000) {
  const waiting: Promise<unknown>[] = [];
  let running = 0;
  while (running + waiting.length < most && gate.refusal(caller) === null) {
    const begun = send(gate, caller);
    if (begun === null) running += 1;
    else waiting.push(begun);
  }
  return { running, waiting };
}

/** Leaving counts at the end of the turn. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** As `flood`, and then as many turns as it takes until no more begin; answers how many run at once then. */
export async function floodOverTurns(gate: LoadGate, caller: string, most: number): Promise<number> {
  const { running, waiting } = flood(gate, caller, most);
  let begun = running;
  for (const waited of waiting) void waited.then(() => (begun += 1));
  for (let before = -1; begun > before; ) {
    before = begun;
    await turn();
  }
  return begun;
}

/** Conditions that hold for as long as it takes a gate to follow them. */
export function settle(gate: LoadGate): void {
  for (let tick = 0; tick < 50; tick += 1) gate.adjust();
}
