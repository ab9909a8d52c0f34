import { createLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { onlyWith } from "@platform/test-kit/only-with";
import { Counter, Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { mailLeaseMs } from "../store/mail-queue.ts";
import { deliverMails, type MailDelivery, type MailWork } from "./deliver-mails.ts";

const content = { subject: "Code", text: "123456", html: "<p>123456</p>" };

/**
 * Runs a worker over one email whose preparation takes `preparationMs` by the clock. Returns what was sent and how it
 * was counted.
 */
async function deliverOne(preparationMs: number): Promise<{ sent: string[]; outcomes: string[] }> {
  let nowMs = Date.UTC(2026, 0, 1);
  let isClaimed = false;
  const sent: string[] = [];
  const outcomes = new Counter<"outcome">({
    name: "mails",
    help: "-",
    labelNames: ["outcome"],
    registers: [new Registry()],
  });
  const work: MailWork<string> = {
    name: "mails",
    queue: {
      claimNext: async () => {
        if (isClaimed) return null;
        isClaimed = true;
        return { document: "mail-1", fence: {}, leasedUntil: new Date(nowMs + mailLeaseMs) };
      },
      isHeld: ({ leasedUntil }) => new Date(nowMs) < leasedUntil,
      settle: async () => {},
      leave: () => {},
    },
    describe: (id) => ({ id, attempts: 1, resourceId: id }),
    prepare: async () => {
      nowMs += preparationMs;
      return { to: "ann@example.com", content };
    },
  };
  const delivery: MailDelivery = {
    stores: onlyWith({}),
    keyring: onlyWith({}),
    mailer: { send: async (to: string) => void sent.push(to), close: () => {} },
    publicBaseUrl: "http://127.0.0.1:8080",
    consoleUrl: "http://127.0.0.1:8110",
    platformName: null,
    logger: createLogger("test", "fatal"),
    clock: () => new Date(nowMs),
    outcomes,
  };
  const loop = deliverMails(delivery, work);
  const counted = async (): Promise<string[]> =>
    (await outcomes.get()).values.map(({ labels }) => String(labels.outcome));
  await eventually(async () => (await counted()).length > 0);
  await loop.stop();
  return { sent, outcomes: await counted() };
}

test("sends an email if preparing it takes less time than the lease", async () => {
  expect(await deliverOne(mailLeaseMs - 1)).toEqual({ sent: ["ann@example.com"], outcomes: ["sent"] });
});

test("sends nothing if preparing the email takes longer than the lease", async () => {
  expect(await deliverOne(mailLeaseMs)).toEqual({ sent: [], outcomes: ["lease_over"] });
});
