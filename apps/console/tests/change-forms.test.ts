import { type DescMessage, type DescMethod, toJson } from "@bufbuild/protobuf";
import { ServiceError } from "@platform/kit/rpc/errors";
import { sampleMessage } from "@platform/test-kit/sample-message";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { screens } from "../src/http/screens.ts";
import { readablePage } from "./readable-page.ts";
import { addressOf, csrf, startSampleConsole, untouchedForm } from "./sample-console.ts";

let served: Awaited<ReturnType<typeof startSampleConsole>>;
beforeAll(async () => {
  served = await startSampleConsole();
});
afterEach(() => served.samples.setRefusals({}));
afterAll(() => served.close());

/** Returns the type of the row in the response to a change. */
const rowOf = ({ output }: DescMethod): DescMessage | undefined =>
  output.fields.find(({ message }) => message !== undefined && message.typeName !== "google.protobuf.Timestamp")
    ?.message;

/**
 * Returns the fields that a change sets, which are those in both its request and its row, except the id and the client
 * of the changed resource.
 */
function setFields(method: DescMethod): string[] {
  const row = rowOf(method);
  const own = method.input.fields.map(({ jsonName }) => jsonName);
  return own.filter((name) => name !== "projectClientId" && row?.fields.some(({ jsonName }) => jsonName === name));
}

/**
 * All forms that change a resource and set values that can be read. Forms that can be sent only once are not among
 * them, because they create something.
 */
const changeForms = screens
  .flatMap(({ actions = [] }) => actions)
  .filter(({ path, isOnce, method }) => path.includes(":id") && isOnce !== true && setFields(method).length > 0)
  .map((action) => [action.path, action.method] as const);

/** Returns the latest call of an RPC that the sample responses recorded. */
function lastCall({ name }: DescMethod): Record<string, unknown> | null {
  const call = served.samples.takeCalls().findLast((each) => each.includes(`/${name} {`));
  return call === undefined ? null : (JSON.parse(call.slice(call.indexOf("{"))) as Record<string, unknown>);
}

it("includes the forms of schedules, campaigns and sender profiles", () => {
  const paths = changeForms.map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "/schedules/:id/set-cron",
      "/schedules/:id/set-overlap",
      "/campaigns/:id/raise-budget",
      "/profiles/:id/update",
    ]),
  );
});

describe.each(changeForms)("%s", (path, method) => {
  it("changes nothing if its form is opened and saved unchanged", async () => {
    const { text: page } = await served.ask(addressOf(path));
    served.samples.takeCalls();
    const typed = Object.fromEntries(
      Object.entries(untouchedForm(page)).map(([name, value]) => [name, value || (secrets[name] ?? "")]),
    );
    const { status } = await served.ask(addressOf(path), { ...typed, reason: "because" });
    expect(status).toBe(303);
    const sent = lastCall(method);
    expect(sent).not.toBeNull();
    const row = rowOf(method) as DescMessage;
    const present = toJson(row, sampleMessage(row)) as Record<string, unknown>;
    for (const name of setFields(method))
      expect([name, listOf(sent?.[name] ?? present[name])]).toEqual([name, listOf(present[name])]);
  });
});

/** Returns a list that a request wraps in a message to distinguish an empty list from a missing one. */
const listOf = (value: unknown): unknown =>
  Array.isArray(value) ? value : ((value as { values?: unknown }).values ?? value);

/** Fields that no page may show, so a form cannot be prefilled with their values. */
const secrets: Readonly<Record<string, string>> = {
  config: "{}",
  headers: "{}",
  smtp_url: "smtps://user:secret@mail.example:465",
};

it.each([
  ["kind", "/clients/:id/retention"],
  ["resource", "/clients/:id/quota"],
])("reads the %s first, so that the form is prefilled with the current values", async (name, path) => {
  const address = addressOf(path).replace(/\?.*/, "");
  const first = untouchedForm((await served.ask(address)).text);
  expect(Object.keys(first).sort()).toEqual(["csrf", name, "reason"].sort());
  const { status, text } = await served.ask(address, first);
  expect([status, text]).toEqual([303, `${address}?${name}=${name}-1`]);
});

const revised = changeForms.filter(([, method]) => setFields(method).includes("revision"));

describe.each(revised)("%s, after someone else has changed the resource", (path, method) => {
  const overtaken = () =>
    served.samples.setRefusals({
      [method.name]: new ServiceError("revision_conflict", "Someone else changed this in the meantime."),
    });
  const typed = {
    csrf,
    revision: "7",
    cron: "5 5 * * *",
    timezone: "UTC",
    overlap: "skip",
    policy: "skip",
    config: "{}",
    headers: "{}",
    per_second: "5",
    smtp_url: "smtps://x",
    name: "Acme",
  };

  it("contains the revision at which the form was read", async () => {
    const { text: page } = await served.ask(addressOf(path));
    expect(Number(untouchedForm(page).revision)).toBeGreaterThan(0);
    served.samples.takeCalls();
    await served.ask(addressOf(path), typed);
    expect(lastCall(method)).toMatchObject({ revision: 7 });
  });

  it("returns 409 with the current and the typed values, and the next submission replaces them", async () => {
    overtaken();
    const { status, text } = await served.ask(addressOf(path), typed);
    expect(status).toBe(409);
    expect(text).toContain("Someone else changed this in the meantime");
    const again = untouchedForm(text);
    expect(again.revision).not.toBe("7");
    served.samples.setRefusals({});
    served.samples.takeCalls();
    expect((await served.ask(addressOf(path), { ...typed, ...again, ...secrets })).status).toBe(303);
    expect(lastCall(method)).toMatchObject({ revision: Number(again.revision) });
  });

  it("rejects a form whose revision is missing or not a number, without calling the service", async () => {
    for (const revision of ["", "-1", "x"]) {
      served.samples.takeCalls();
      expect((await served.ask(addressOf(path), { ...typed, revision })).status).toBe(422);
      expect(lastCall(method)).toBeNull();
    }
  });
});

it("opens the form of an operation without a schedule, and requires a time zone", async () => {
  served.samples.setSparse(true);
  const { status, text } = await served.ask(addressOf("/schedules/:id/set-cron"));
  served.samples.setSparse(false);
  expect(status).toBe(200);
  expect(untouchedForm(text)).toMatchObject({ cron: "", timezone: "", revision: "0" });
});

it("shows both schedules when someone else has changed the schedule in the meantime", async () => {
  served.samples.setRefusals({
    SetScheduledOperationCron: new ServiceError("revision_conflict", "Someone else changed this in the meantime."),
  });
  const form = { csrf, revision: "7", cron: "0 9 * * *", timezone: "UTC", overlap: "queue" };
  const page = readablePage((await served.ask(addressOf("/schedules/:id/set-cron"), form)).text);
  expect(page).toContain("| Current value | Your value |\nTime zone | Asia/Tokyo | UTC |");
  expect(page).toContain("{input type=text name=timezone required maxlength=60 value=UTC}");
  expect(page).not.toContain("\nCron | ");
});

it("shows the next due times of the typed schedule, and changes nothing", async () => {
  served.samples.takeCalls();
  const form = { csrf, revision: "7", cron: "0 9 * * *", timezone: "Europe/Berlin", overlap: "queue", step: "show" };
  const { status, text } = await served.ask(addressOf("/schedules/:id/set-cron"), form);
  const calls = served.samples.takeCalls();
  expect(status).toBe(200);
  expect(calls.filter((call) => call.includes("/SetScheduledOperationCron "))).toEqual([]);
  const listed = calls.find((call) => call.includes("/ListDueTimes "));
  expect(listed).toMatch(/"cron":"0 9 \* \* \*","timezone":"Europe\/Berlin","projectClientId":"[0-9a-f-]{36}"/);
  expect(readablePage(text)).toContain("Europe/Berlin | UTC |\nThu 2031-01-02 02:00 GMT+1 | Thu 2031-01-02 01:00 |");
  expect(untouchedForm(text)).toMatchObject({ cron: "0 9 * * *", timezone: "Europe/Berlin", revision: "7" });
});
