import { createSemaphore, type Release } from "@platform/kit/jobs/pacing";
import type { Response } from "express";
import { PageProblem } from "./page-problem.ts";

/**
 * Maximum number of one person's requests that are processed concurrently. Others wait, because browsers open several
 * pages concurrently.
 */
export const requestsPerPersonMax = 4;
export const waitingPerPersonMax = 28;
/** Maximum number of live tails of one person. */
export const tailsPerPersonMax = 4;
/** Maximum number of large forms that are read concurrently, of one person and of all people. */
const largeFormsPerPersonMax = 1;
const largeFormsMax = 2;

type Lane = { running: number; readonly waiting: Set<() => void> };

/** Limits the concurrent work of a person in this process, over all of the person's sessions. */
export type PersonLimits = ReturnType<typeof createPersonLimits>;

export function createPersonLimits() {
  const lanes = new Map<string, Lane>();
  const tails = createSemaphore({ total: 1_000, by: { person: () => tailsPerPersonMax } });
  const largeForms = createSemaphore({ total: largeFormsMax, by: { person: () => largeFormsPerPersonMax } });

  const leave = (person: string, lane: Lane): void => {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(person);
  };
  const hold = (release: Release | null, response: Response, what: string): void => {
    if (release === null) throw tooMany(response, what);
    if (response.closed) release();
    else response.once("close", release);
  };
  return {
    /**
     * Waits until fewer of the person's requests are in progress, and counts this one until the response is closed.
     * @returns false if the browser disconnected while the request was waiting
     * @throws PageProblem 429 if too many requests are waiting
     */
    enter: async (person: string, response: Response): Promise<boolean> => {
      const lane = lanes.get(person) ?? { running: 0, waiting: new Set() };
      lanes.set(person, lane);
      if (lane.running >= requestsPerPersonMax) {
        if (lane.waiting.size >= waitingPerPersonMax) throw tooMany(response, "concurrent requests");
        const isHere = await new Promise<boolean>((resolve) => {
          const begin = (): void => {
            response.off("close", give);
            resolve(true);
          };
          const give = (): void => {
            lane.waiting.delete(begin);
            resolve(false);
          };
          lane.waiting.add(begin);
          response.once("close", give);
        });
        if (!isHere) return false;
      } else lane.running += 1;
      if (response.closed) leave(person, lane);
      else response.once("close", () => leave(person, lane));
      return true;
    },
    /** Counts a live tail until its response is closed. Throws PageProblem 429 if the person has too many. */
    openTail: (person: string, response: Response): void =>
      hold(tails.tryAcquire({ person }), response, "concurrent live tails"),
    /** Counts a large form until its response is closed. Throws PageProblem 429 if too many are being read. */
    openLargeForm: (person: string, response: Response): void =>
      hold(largeForms.tryAcquire({ person }), response, "concurrent large forms"),
  };
}

function tooMany(response: Response, what: string): PageProblem {
  response.set("retry-after", "1");
  return new PageProblem(429, "Too many requests", `You have too many ${what}. Wait until one of them has ended.`);
}
