import { serviceNames } from "@platform/contracts/services";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
beforeAll(async () => {
  own = await startOwnStack();
});
afterAll(() => own?.close());

const services = serviceNames.map((name) => `${name}-svc`).sort();

type Health = { status: string; components: { name: string; status: string }[] };

/** Requests GET /health and measures the time until its response. */
async function health(): Promise<{ data: Health; tookMs: number }> {
  const startedAtMs = performance.now();
  const response = await fetch(`${own.gateways[0]}/api/v1/health`);
  const { data } = (await response.json()) as { data: Health };
  return { data, tookMs: performance.now() - startedAtMs };
}

const servicesThatAre = ({ components }: Health, isOk: boolean): string[] =>
  components
    .filter(({ name, status }) => name.endsWith("-svc") && (status === "ok") === isOk)
    .map(({ name }) => name)
    .sort();

const allServe = () => eventually(async () => servicesThatAre((await health()).data, true).length === services.length);

/** The contract's time limit for the response, which applies whichever dependency hangs. */
const answerMsMax = 1_000;

/** Polls /health until it reports the outage, and returns that report. Every response must arrive within the limit. */
async function healthWhen(isSo: (shown: Health) => boolean): Promise<Health> {
  const tookMs: number[] = [];
  const shown = await eventually(async () => {
    const answer = await health();
    tookMs.push(answer.tookMs);
    return isSo(answer.data) ? answer.data : null;
  });
  expect(Math.max(...tookMs)).toBeLessThan(answerMsMax);
  return shown;
}

const areDown = ({ components }: Health): boolean =>
  services.every((service) => components.some(({ name, status }) => name === service && status === "down"));

describe("with its database stopped", () => {
  test.each([
    ["paused", "SIGSTOP", () => own.stack.kill("mongo", "SIGCONT")],
    ["killed", "SIGKILL", () => own.stack.start("mongo")],
  ] as const)("reports no service as ok in /health, the database %s", async (_how, signal, bringBack) => {
    await allServe();
    await own.stack.kill("mongo", signal);
    try {
      const shown = await healthWhen((seen) => servicesThatAre(seen, false).length === services.length);
      expect(shown.status).toBe("degraded");
    } finally {
      await bringBack();
    }
    await allServe();
  });
});

test("returns /health within a second while every service hangs, and reports them all as down", async () => {
  await allServe();
  await Promise.all(services.map((name) => own.stack.kill(name, "SIGSTOP")));
  try {
    await healthWhen(areDown);
  } finally {
    await Promise.all(services.map((name) => own.stack.kill(name, "SIGCONT")));
  }
  await allServe();
});
