import { describe, expect, it } from "vitest";
import { exampleRequests } from "../examples.ts";
import { type OperationId, operationList, operations } from "../operations.ts";
import { validate } from "../violations.ts";

/** Required properties of each body, and whether the interface forbids additional properties. */
const bodies: [OperationId, required: string[], closed: boolean][] = [
  ["edge.noop", ["money"], false],
  [
    "identity.createIdentityMigrationTransaction",
    ["project_client_id", "legacy_subject", "email", "locale", "correlation_id", "expires_at"],
    true,
  ],
  ["identity.createHostedContinuation", ["flow_token", "return_uri", "state"], true],
  ["identity.continueIdentityMigration", ["continuation_id", "continuation_token"], false],
  ["identity.linkIdentityMigrationTransaction", ["flow_token"], true],
  ["identity.requestEmailVerification", ["flow_token"], false],
  ["files.createUploadGrant", ["expected_sha256", "expected_content_type", "maximum_bytes"], true],
  ["files.createPublicAsset", ["image_preset_id"], true],
  ["notify.validateNotificationCatalog", ["entries"], false],
  ["notify.registerEmailDeliveryEndpoint", ["address"], true],
  ["notify.verifyEmailDeliveryEndpoint", ["token"], false],
  [
    "notify.createNotificationIntent",
    ["sender_profile_id", "template_key", "locale", "endpoint_id", "variables"],
    true,
  ],
  [
    "notify.createChannelNotificationIntent",
    ["sender_profile_id", "endpoint_id", "template_key", "locale", "purpose", "variables"],
    true,
  ],
  ["notify.registerDeliveryEndpoint", ["channel", "identifier"], true],
  ["notify.verifyDeliveryEndpoint", ["token"], false],
  ["notify.setDeliveryConsent", ["granted"], true],
  ["events.createProjectAudit", ["actor_id", "action", "resource_type", "resource_id", "outcome"], true],
  ["events.publishDomainEvent", ["type", "schema_version", "data"], true],
  ["events.registerScheduledOperation", ["name", "url", "secret"], true],
  ["ads.recordViewableImpression", ["token", "visible_ratio_basis_points", "duration_milliseconds"], true],
];

function violationsOf(id: OperationId, body: unknown): string[] {
  const schema = operations[id].body;
  if (schema === null) throw new Error(`${id} takes no body`);
  const result = validate(schema, body);
  return result.ok ? [] : result.violations.map(({ path, code }) => `${path} ${code}`);
}

it("includes every operation with a body", () => {
  const withBody = operationList.filter(({ body }) => body !== null).map(({ id }) => id);
  expect(bodies.map(([id]) => id).sort()).toEqual(withBody.sort());
});

describe.each(bodies)("the body of %s", (id, required, closed) => {
  const example: Readonly<Record<string, unknown>> = exampleRequests[id].body ?? {};

  it("reports each missing required property at its own pointer", () => {
    expect(violationsOf(id, {}).sort()).toEqual(required.map((name) => `/${name} required`).sort());
    for (const name of required) {
      const { [name]: _left, ...rest } = example;
      expect(violationsOf(id, rest)).toEqual([`/${name} required`]);
    }
  });

  it("accepts a body without its optional properties", () => {
    const least = Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name)));
    expect(violationsOf(id, least)).toEqual([]);
  });

  it(closed ? "names each property it does not have" : "may hold further properties", () => {
    const sent: unknown = JSON.parse(JSON.stringify(example).replace("{", '{"__proto__":1,"extra/x":null,'));
    expect(violationsOf(id, sent)).toEqual(closed ? ["/__proto__ unknown_property", "/extra~1x unknown_property"] : []);
  });
});

describe("rules over more than one property", () => {
  const event = { type: "order.placed", schema_version: 1, data: {} };
  it.each([
    [{ stream_id: "s" }, ["/sequence required"]],
    [{ stream_id: "s", sequence: null }, ["/sequence required"]],
    [{ sequence: 1 }, ["/stream_id required"]],
    [{ stream_id: null, sequence: 1 }, ["/stream_id required"]],
    [{ stream_id: null, sequence: null }, []],
    [{ stream_id: "s", sequence: 1 }, []],
    [{ stream_id: 5, sequence: 1 }, ["/stream_id invalid_type"]],
    [{ stream_id: "", sequence: 0 }, ["/stream_id too_short", "/sequence too_small"]],
  ])("validates a Domain Event with %j", (ordering, expected) => {
    expect(violationsOf("events.publishDomainEvent", { ...event, ...ordering })).toEqual(expected);
  });

  it("checks stream_id and sequence together even if another property is invalid", () => {
    expect(violationsOf("events.publishDomainEvent", { ...event, type: "X", stream_id: "s" })).toEqual([
      "/type invalid_format",
      "/sequence required",
    ]);
  });

  const [entry] = exampleRequests["notify.validateNotificationCatalog"].body.entries;
  const catalog = (...entries: unknown[]) => violationsOf("notify.validateNotificationCatalog", { entries });

  it("reports entries that are not an array as a single violation", () => {
    const catalogViolations = (entries: unknown) => violationsOf("notify.validateNotificationCatalog", { entries });
    expect([{ $gt: "" }, {}, null, "x"].map(catalogViolations)).toEqual(Array(4).fill(["/entries invalid_type"]));
  });

  it("accepts 1 to 500 entries of a catalog", () => {
    const numbered = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...entry, event_key: `event.${index}` }));
    expect(catalog()).toEqual(["/entries too_short"]);
    expect(catalog(...numbered(1))).toEqual([]);
    expect(catalog(...numbered(500))).toEqual([]);
    expect(catalog(...numbered(501))).toEqual(["/entries too_long"]);
  });

  it("accepts entries that differ in event_key, channel or locale", () => {
    const others = [{ event_key: "other" }, { channel: "fcm" }, { locale: "ja" }].map((part) => ({
      ...entry,
      ...part,
    }));
    expect(catalog(entry, ...others)).toEqual([]);
    expect(catalog(entry, { ...entry, template_key: "t" }, others[0], entry)).toEqual([
      "/entries/1 not_unique",
      "/entries/3 not_unique",
    ]);
    expect(catalog({ ...entry, variables: 5 }, entry)).toEqual([
      "/entries/0/variables invalid_type",
      "/entries/1 not_unique",
    ]);
  });

  it("requires every property of an entry and refuses others", () => {
    expect(catalog({}).sort()).toEqual(
      Object.keys(entry)
        .map((name) => `/entries/0/${name} required`)
        .sort(),
    );
    expect(catalog({ ...entry, extra: 1 })).toEqual(["/entries/0/extra unknown_property"]);
    expect(catalog(null)).toEqual(["/entries/0 invalid_type"]);
  });

  it("requires currency and amount of money and refuses others", () => {
    expect(violationsOf("edge.noop", { money: {} })).toEqual(["/money/currency required", "/money/minor required"]);
    expect(violationsOf("edge.noop", { money: { currency: "JPY", minor: 1, tax: 0 } })).toEqual([
      "/money/tax unknown_property",
    ]);
  });
});

describe("the validated body that a handler receives", () => {
  it("sets max_attempts to 5 by default", () => {
    const { max_attempts: _left, ...body } = exampleRequests["events.registerScheduledOperation"].body;
    const result = validate(operations["events.registerScheduledOperation"].body, body);
    expect(result.ok && result.value.max_attempts).toBe(5);
  });

  it("normalizes ids to lower case, date-times to UTC, and trims the address", () => {
    const migration = exampleRequests["identity.createIdentityMigrationTransaction"].body;
    const sent = { ...migration, correlation_id: migration.correlation_id.toUpperCase() };
    const result = validate(operations["identity.createIdentityMigrationTransaction"].body, sent);
    expect(result.ok && result.value).toEqual({ ...migration, expires_at: "2026-07-01T00:30:00.000Z" });
    expect(validate(operations["notify.registerEmailDeliveryEndpoint"].body, { address: "\n A@b.co " })).toEqual({
      ok: true,
      value: { address: "A@b.co" },
    });
  });

  it("passes the data of an event on unchanged, with any keys", () => {
    const json = '{"type":"a.b","schema_version":1,"data":{"__proto__":{"$set":1},"a.b":[{"constructor":null}]}}';
    const result = validate(operations["events.publishDomainEvent"].body, JSON.parse(json));
    expect(JSON.stringify(result.ok && result.value)).toBe(json);
  });
});
