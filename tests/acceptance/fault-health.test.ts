import { serviceNames } from "@platform/stack/service-names";
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

/** GET /health, and how long its answer took. */
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

/** Polls for as long as the platform may take to notice, and returns the last health; every answer must come within a second. */
async function healthAfterASecond(): Promise<Health> {
  const untilMs = performance.now() + 1_000;
  for (;;) {
    const isLast = performance.now() >= untilMs;
    const { data, tookMs } = await health();
    expect(tookMs).toBeLessThan(1_000);
    if (isLast) return data;
  }
}

describe("with its database stopped", () => {
  test.each([
    ["paused", "SIGSTOP", () => own.stack.kill("mongo", "SIGCONT")],
    ["killed", "SIGKILL", () => own.stack.start("mongo")],
  ] as const)(
    "reports no service as ok in /health after a second, the database %s",
    async (_how, signal, bringBack) => {
      await allServe();
      await own.stack.kill("mongo", signal);
      try {
        const shown = await healthAfterASecond();
        expect(servicesThatAre(shown, false)).toEqual(services);
        expect(shown.status).toBe("degraded");
      } finally {
        await bringBack();
      }
      await allServe();
    },
  );
});

test("answers /health within a second while every service hangs, and reports them all as down", async () => {
  await allServe();
  await Promise.all(services.map((name) => own.stack.kill(name, "SIGSTOP")));
  try {
    const shown = await healthAfterASecond();
    expect(
      shown.components
        .filter(({ status }) => status === "down")
        .map(({ name }) => name)
        .sort(),
    ).toEqual(services);
  } finally {
    await Promise.all(services.map((name) => own.stack.kill(name, "SIGCONT")));
  }
  await allServe();
});
