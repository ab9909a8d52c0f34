import { processesOf, serviceNames } from "@platform/contracts/services";
import { passwordIn, readSection, signInWith, type Visitor, visitorOf } from "@platform/stack/console-visitor";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
let viewer: Visitor;
beforeAll(async () => {
  own = await startOwnStack({}, { hasSecondGateway: false, hasConsole: true, hasMonitoring: true });
  const { ports, directory } = own.stack;
  viewer = await signInWith(visitorOf(`http://127.0.0.1:${ports.console}`), "viewer", passwordIn(directory, "viewer"));
});
afterAll(() => own?.close());

/** Time limit of a wait. It is shorter than the time limit of a test, so that a failure says what did not arrive. */
const waiting = { timeoutMs: 240_000, everyMs: 1_000 };
const testMsMax = 600_000;
const alerts = (): Promise<string> => readSection(viewer, "/", "Active alerts");

/** Returns the processes that Prometheus scrapes, and whether each responds. */
async function scraped(): Promise<{ up: number; down: number }> {
  const url = `http://127.0.0.1:${own.stack.ports.prometheus}/api/v1/query?query=up`;
  const { data } = (await (await fetch(url)).json()) as { data: { result: { value: [number, string] }[] } };
  const up = data.result.filter(({ value }) => value[1] === "1").length;
  return { up, down: data.result.length - up };
}

test(
  "shows the plots of Prometheus, and that no alert is active on a fresh stack",
  async () => {
    // The expected processes are those of each service, the console, and the gateway, which is scraped both as gateway
    // and as gateway-transfers.
    const processes = serviceNames.flatMap(processesOf).length + 3;
    await eventually(async () => (await scraped()).up === processes, { ...waiting, what: "every process is scraped" });
    expect(await scraped()).toEqual({ up: processes, down: 0 });
    expect(await alerts()).toContain("No alerts are active.");
    expect(await alerts()).toContain("Source: Alertmanager at ");
    const { credential } = await own.newClient();
    const requests = async (): Promise<string> => {
      await own.make("POST", "/domain-events", credential, { type: "monitoring.asked", schema_version: 1, data: {} });
      return readSection(viewer, "/", "The last 24 hours");
    };
    const plots = await eventually(
      async () => {
        const shown = await requests();
        return shown.includes("2xx (requests)") ? shown : null;
      },
      { ...waiting, what: "the requests are plotted" },
    );
    for (const text of ["p50 (ms)", "p99 (ms)", "Source: Prometheus at "]) expect(plots).toContain(text);
  },
  testMsMax,
);

test(
  "shows an alert about a killed process on the overview until the process runs again",
  async () => {
    await own.stack.kill("ads-svc-worker");
    const shown = await eventually(
      async () => {
        const part = await alerts();
        return part.includes("Ads-svc-worker has not responded to /metrics for 2 minutes") ? part : null;
      },
      { ...waiting, what: "the killed process is shown" },
    );
    expect(shown).toContain("Runbook: ProcessDown");
    await own.stack.start("ads-svc-worker");
    await eventually(async () => (await alerts()).includes("No alerts are active."), {
      ...waiting,
      what: "all is well",
    });
  },
  testMsMax,
);

test(
  "reports that Prometheus does not respond after it has ended, and that alerts are unknown without both",
  async () => {
    await own.stack.kill("prometheus");
    await eventually(async () => (await readSection(viewer, "/", "The last 24 hours")).includes("does not respond"), {
      ...waiting,
      what: "the missing plots are explained",
    });
    await own.stack.kill("alertmanager");
    await eventually(async () => (await alerts()).includes("The active alerts are unknown"), {
      ...waiting,
      what: "the missing alerts are explained",
    });
    expect(await alerts()).not.toContain("No alerts are active");
  },
  testMsMax,
);
