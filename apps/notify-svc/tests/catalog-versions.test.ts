import { newId } from "@platform/kit/process/secrets";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callOf, type NotifyStack, prepareClient, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
let clientId: string;
beforeAll(async () => {
  stack = await startNotifyStack();
});
beforeEach(() => {
  clientId = newId();
});
afterAll(() => stack.close());

const template = { key: "k", channel: "email", locale: "en", subject: "s", text: "t", variables: {} };
const apply = (...templates: object[]) =>
  stack.admin.applyCatalog({ projectClientId: clientId, templates }, callOf(clientId));
const preview = (...templates: object[]) =>
  stack.catalogAdmin.previewCatalog({ projectClientId: clientId, templates }, callOf(clientId));
const rollBack = (version: number) =>
  stack.catalogAdmin.rollBackCatalog({ projectClientId: clientId, version }, callOf(clientId));
const history = async (page: object = {}) => {
  const list = await stack.catalogAdmin.listCatalogVersions({ projectClientId: clientId, ...page }, callOf(clientId));
  return { ...list, numbers: list.versions.map(({ version }) => version) };
};
const textNow = async () =>
  (await stack.admin.showCatalog({ projectClientId: clientId }, callOf(clientId))).templates.map(({ text }) => text);

describe("the versions of a catalog", () => {
  it("lists who applied each version and what it changed, newest first, and stores no version without a change", async () => {
    await apply(template);
    await apply({ ...template, text: "other" }, { ...template, key: "l" });
    await apply({ ...template, text: "other" }, { ...template, key: "l" });
    await apply({ ...template, text: "other" });
    const { versions } = await history();
    expect(
      versions.map(({ version, by, added, changed, removed }) => ({ version, by, added, changed, removed })),
    ).toEqual([
      { version: 3, by: "break-glass", added: [], changed: [], removed: ["l email en"] },
      { version: 2, by: "break-glass", added: ["l email en"], changed: ["k email en"], removed: [] },
      { version: 1, by: "break-glass", added: ["k email en"], changed: [], removed: [] },
    ]);
    expect(versions.every(({ appliedAt }) => appliedAt !== undefined)).toBe(true);
  });

  it("keeps the last 20 versions, lists them in pages, and drops the oldest for the 21st", async () => {
    for (let n = 1; n <= 20; n += 1) await apply({ ...template, text: `${n}` });
    expect((await history()).numbers).toHaveLength(20);
    expect((await rollBack(1)).version).toBe(21);
    expect((await history()).numbers).toEqual(Array.from({ length: 20 }, (_, index) => 21 - index));
    await expect(rollBack(1)).rejects.toMatchObject({
      code: "contract_violation",
      details: { violations: [{ path: "/version" }] },
    });
    const first = await history({ limit: 15 });
    const rest = await history({ limit: 15, cursor: first.nextCursor });
    expect([first.numbers.length, rest.numbers, rest.nextCursor]).toEqual([15, [6, 5, 4, 3, 2], ""]);
  });

  it("applies an earlier version again, as a new version with its texts", async () => {
    await apply(template);
    await apply({ ...template, text: "other" });
    expect(await rollBack(1)).toMatchObject({ version: 3, changed: ["k email en"], unchanged: 0 });
    expect(await textNow()).toEqual(["t"]);
    expect((await history()).numbers).toEqual([3, 2, 1]);
  });

  it("numbers versions without gaps and keeps each of several catalogs applied concurrently", async () => {
    await Promise.all(["a", "b", "c", "d"].map((text) => apply({ ...template, text })));
    const { numbers, versions } = await history();
    expect(numbers).toEqual([4, 3, 2, 1]);
    expect(versions.map(({ added, changed }) => added.length + changed.length)).toEqual([1, 1, 1, 1]);
    const last = await textNow();
    await rollBack(1);
    await rollBack(4);
    expect(await textNow()).toEqual(last);
  });

  it("starts the list of versions with the catalog that was applied before versions were kept", async () => {
    await apply(template);
    const driver = await MongoClient.connect(stack.mongo.uri);
    const database = driver.db(stack.mongo.database);
    await database
      .collection<{ _id: string }>("catalogs")
      .updateOne({ _id: clientId }, { $unset: { version: "", versions: "" } });
    await database.collection("catalog_versions").deleteMany({ project_client_id: clientId });
    await driver.close();
    await apply({ ...template, text: "other" });
    expect((await history()).versions).toMatchObject([
      { version: 2, by: "break-glass", changed: ["k email en"] },
      { version: 1, by: "", added: ["k email en"] },
    ]);
    await rollBack(1);
    expect(await textNow()).toEqual(["t"]);
  });

  it("does not apply or list versions of another Project Client", async () => {
    await apply(template);
    clientId = newId();
    expect((await history()).versions).toEqual([]);
    await expect(rollBack(1)).rejects.toMatchObject({ code: "contract_violation" });
  });
});

describe("a preview of a catalog", () => {
  it("reports the changes and the invalid templates in a dry run, and changes nothing", async () => {
    await apply(template);
    const bad = [
      { ...template, locale: "ja", text: "{{ undeclared }}" },
      { ...template, locale: "de", channel: "fax" },
    ];
    expect(await preview({ ...template, text: "other" }, ...bad)).toMatchObject({
      added: [],
      changed: ["k email en"],
      removed: [],
      problems: [
        { kind: "refused", name: "k email ja", message: expect.stringContaining("undeclared") },
        { kind: "refused", name: "k fax de", message: expect.stringContaining("/templates/2/channel") },
      ],
    });
    expect([await textNow(), (await history()).numbers]).toEqual([["t"], [1]]);
  });

  it("reports entries of the validated catalog without a template, language, sender or consent", async () => {
    ({ clientId } = await prepareClient(stack, "line"));
    const { endpointId } = await verifiedEndpoint(stack, "line", clientId);
    const entry = {
      eventKey: "order.shipped",
      templateKey: "shipped",
      channel: "line",
      purpose: "orders",
      locale: "en",
      senderProfile: "main",
    };
    const validate = (digest: string, ...entries: object[]) =>
      stack.catalogs.recordValidatedCatalog({ digest, entries }, callOf(clientId));
    const problems = async () =>
      (await stack.catalogAdmin.listCatalogProblems({ projectClientId: clientId }, callOf(clientId))).problems;
    expect(await problems()).toEqual([]);
    await validate("one", entry);
    expect(await problems()).toEqual([]);
    await validate("two", { ...entry, templateKey: "lost", senderProfile: "second", purpose: "news" });
    expect((await problems()).map(({ kind, name }) => [kind, name])).toEqual([
      ["template", "order.shipped line en"],
      ["sender", "order.shipped line en"],
      ["purpose", "order.shipped line en"],
    ]);
    // The preview compares the entries with the languages of the previewed catalog, not of the applied one, so it
    // finds the template in another language.
    const lost = { ...template, key: "lost", channel: "line", locale: "ja" };
    expect((await preview(lost)).problems.map(({ kind }) => kind)).toEqual(["locale", "sender", "purpose"]);
    await stack.endpoints.setDeliveryConsent({ endpointId, purpose: "news", granted: true }, callOf(clientId));
    expect((await problems()).map(({ kind }) => kind)).toEqual(["template", "sender"]);
  });
});
