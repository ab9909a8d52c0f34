import type { Counts } from "@platform/checks/nx/run-ring";

/** Runs named steps and counts them. A failed step ends its group, because later steps depend on it. */
export type Steps = {
  group(name: string, steps: Readonly<Record<string, () => Promise<unknown>>>): Promise<void>;
  counts(): Counts;
};

export function createSteps(say: (text: string) => void): Steps {
  let passed = 0;
  let failed = 0;
  return {
    counts: () => ({ passed, failed, skipped: 0 }),
    group: async (name, steps) => {
      let isBroken = false;
      for (const [step, act] of Object.entries(steps)) {
        if (isBroken) {
          failed += 1;
          say(`FAIL ${name}: ${step}: not reached`);
          continue;
        }
        try {
          await act();
          passed += 1;
          say(`ok   ${name}: ${step}`);
        } catch (error) {
          failed += 1;
          isBroken = true;
          say(`FAIL ${name}: ${step}\n${(error as Error).message}`);
        }
      }
    },
  };
}

/** Throws unless `isTrue`. */
export function expect(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}
