import { describe, expect, it } from "vitest";
import { exampleRequests } from "../examples.ts";
import { type OperationId, operations } from "../operations.ts";
import { validate } from "../violations.ts";

type Fill = (length: number) => string;

/**
 * Each character is a code point outside the Basic Multilingual Plane, so the tests fail if a limit is counted in
 * UTF-16 units.
 */
const astral: Fill = (length) => "😀".repeat(length);
const letters: Fill = (length) => "a".repeat(length);
const address: Fill = (length) => `${"a".repeat(length - "@example.com".length)}@example.com`;
const url: Fill = (length) => "https://example.com/".padEnd(length, "a");

/** String limits of the interface: operation, pointer into the body, minimum and maximum number of characters. */
const stringLimits: [OperationId, string, number, number, Fill][] = [
  ["notify.validateNotificationCatalog", "/entries/0/event_key", 2, 120, letters],
  ["notify.validateNotificationCatalog", "/entries/0/template_key", 1, 120, astral],
  ["notify.validateNotificationCatalog", "/entries/0/purpose", 2, 120, letters],
  ["notify.validateNotificationCatalog", "/entries/0/locale", 1, 20, astral],
  ["notify.validateNotificationCatalog", "/entries/0/sender_profile", 1, 120, astral],
  ["identity.createIdentityMigrationTransaction", "/legacy_subject", 1, 255, astral],
  ["identity.createIdentityMigrationTransaction", "/email", 13, 255, address],
  ["identity.createIdentityMigrationTransaction", "/locale", 1, 20, astral],
  ["identity.createHostedContinuation", "/return_uri", 19, 2048, url],
  ["identity.createHostedContinuation", "/state", 1, 2048, astral],
  ["events.createProjectAudit", "/actor_id", 1, 255, letters],
  ["events.createProjectAudit", "/action", 2, 120, letters],
  ["events.createProjectAudit", "/resource_type", 2, 120, letters],
  ["events.createProjectAudit", "/resource_id", 1, 255, letters],
  ["events.publishDomainEvent", "/type", 2, 120, letters],
  ["events.publishDomainEvent", "/stream_id", 1, 180, astral],
  ["events.registerScheduledOperation", "/name", 2, 120, letters],
  ["events.registerScheduledOperation", "/url", 19, 2048, url],
  ["events.registerScheduledOperation", "/secret", 32, 255, astral],
  ["notify.registerEmailDeliveryEndpoint", "/address", 13, 320, address],
  ["notify.verifyEmailDeliveryEndpoint", "/token", 64, 64, astral],
  ["notify.verifyDeliveryEndpoint", "/token", 64, 64, astral],
  ["notify.createNotificationIntent", "/template_key", 1, 120, astral],
  ["notify.createNotificationIntent", "/locale", 1, 20, astral],
  ["notify.createNotificationIntent", "/variables/x", 0, 5000, astral],
  ["notify.createNotificationIntent", "/marketing_purpose", 1, 120, astral],
  ["notify.createChannelNotificationIntent", "/template_key", 1, 120, astral],
  ["notify.createChannelNotificationIntent", "/locale", 1, 20, astral],
  ["notify.createChannelNotificationIntent", "/purpose", 1, 120, astral],
  ["notify.createChannelNotificationIntent", "/variables/x", 0, 5000, astral],
  ["notify.registerDeliveryEndpoint", "/identifier", 20, 4096, astral],
  ["ads.recordViewableImpression", "/token", 1, 4096, astral],
];

const integerLimits: [OperationId, string, number, number][] = [
  ["files.createUploadGrant", "/maximum_bytes", 1, 1_073_741_824],
  ["events.publishDomainEvent", "/schema_version", 1, 65_535],
  ["events.publishDomainEvent", "/sequence", 1, Number.MAX_SAFE_INTEGER],
  ["events.registerScheduledOperation", "/max_attempts", 1, 100],
  ["ads.recordViewableImpression", "/visible_ratio_basis_points", 0, 10_000],
  ["ads.recordViewableImpression", "/duration_milliseconds", 0, 3_600_000],
  ["edge.noop", "/money/minor", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
];

/**
 * Values of one field that are accepted and rejected in addition to the example: enumerations, patterns, formats and
 * nulls.
 */
const values: [OperationId, string, taken: unknown[], refused: unknown[]][] = [
  [
    "notify.validateNotificationCatalog",
    "/entries/0/channel",
    ["email", "fcm", "apns", "line", "web_push"],
    ["sms", "Email", null],
  ],
  ["notify.validateNotificationCatalog", "/entries/0/event_key", ["a-b", "a.b_c"], ["Order", "1a", ".a", "a b", "é1"]],
  ["notify.validateNotificationCatalog", "/entries/0/variables", [{}], [[], null, "string", { a: "boolean" }]],
  ["notify.registerDeliveryEndpoint", "/channel", ["fcm", "apns", "web_push"], ["line", "email", null]],
  [
    "files.createUploadGrant",
    "/expected_content_type",
    ["application/pdf", "image/gif", "image/jpeg", "image/png", "text/plain"],
    ["application/octet-stream", "image/svg+xml", "text/plain; charset=utf-8", null],
  ],
  ["files.createUploadGrant", "/expected_sha256", ["0".repeat(64)], ["0".repeat(63), "A".repeat(64), "g".repeat(64)]],
  ["files.createPublicAsset", "/image_preset_id", [], ["nope", 5, null]],
  ["events.createProjectAudit", "/outcome", ["succeeded", "failed", "denied"], ["ok", "", null]],
  ["events.createProjectAudit", "/actor_id", ["a.b_c:d@e/f+g=h-i"], ["a b", "é", "a\n", '{"a":1}', null]],
  ["events.publishDomainEvent", "/data", [{}, { a: [null, { b: 1 }] }], [[], null, "x", 5]],
  ["events.publishDomainEvent", "/occurred_at", [null, "2026-07-01T00:00:00Z"], ["2026-07-01T00:00:00", 1782864000]],
  ["identity.createIdentityMigrationTransaction", "/project_client_id", [], ["", "x", null, 1]],
  ["identity.createIdentityMigrationTransaction", "/email", ["a@b.co"], ["a", "a@b", null]],
  ["identity.createIdentityMigrationTransaction", "/expires_at", [], ["2026-07-01", "tomorrow", null, 5]],
  ["identity.createHostedContinuation", "/return_uri", ["app.example:/done"], ["/relative", "https://a b", null]],
  ["identity.createHostedContinuation", "/flow_token", [], ["0".repeat(65), "F".repeat(64), null]],
  ["identity.linkIdentityMigrationTransaction", "/flow_token", [], ["", "0".repeat(63), null]],
  ["identity.requestEmailVerification", "/flow_token", [], ["", "0".repeat(63), null]],
  ["notify.registerEmailDeliveryEndpoint", "/address", [" a@b.co "], ["a@b", "", null]],
  ["notify.createNotificationIntent", "/marketing_purpose", [null, "news"], ["", 5]],
  ["notify.createNotificationIntent", "/variables/x", ["", 0, -1.5, 1e300], [true, null, [], {}]],
  ["notify.setDeliveryConsent", "/granted", [true, false], ["true", 1, null]],
  ["events.registerScheduledOperation", "/url", ["http://127.0.0.1:1/x"], ["example.com", null]],
  ["edge.noop", "/money/currency", ["JPY", "USD"], ["jpy", "JP", "JPYX", "JP1", null]],
];

/** Returns the example body of an operation with `value` at `pointer`. */
function bodyWith(id: OperationId, pointer: string, value: unknown): unknown {
  const body = structuredClone(exampleRequests[id].body) as unknown as Record<string, unknown>;
  const segments = pointer.slice(1).split("/");
  const last = segments.pop() ?? "";
  let holder = body;
  for (const segment of segments) holder = holder[segment] as Record<string, unknown>;
  holder[last] = value;
  return body;
}

/** Returns the violations of the example body with `value` at `pointer`, each as `<pointer> <code>`. */
function violationsOf(id: OperationId, pointer: string, value: unknown): string[] {
  const { body } = operations[id];
  if (body === null) throw new Error(`${id} takes no body`);
  const result = validate(body, bodyWith(id, pointer, value));
  return result.ok ? [] : result.violations.map(({ path, code }) => `${path} ${code}`);
}

describe.each(stringLimits)("%s %s", (id, pointer, min, max, fill) => {
  it(`accepts ${min} to ${max} characters and no more`, () => {
    expect(violationsOf(id, pointer, fill(max))).toEqual([]);
    expect(violationsOf(id, pointer, fill(max + 1))).toEqual([`${pointer} too_long`]);
    expect(violationsOf(id, pointer, fill(min))).toEqual([]);
  });

  if (min > 0) {
    it(`refuses ${min - 1} characters`, () => {
      const [violation, ...others] = violationsOf(id, pointer, fill === address || fill === url ? "" : fill(min - 1));
      expect(violation).toMatch(new RegExp(`^${pointer} (too_short|invalid_format)$`));
      expect(others).toEqual([]);
    });
  }

  it("refuses NUL, lone surrogates and values that are not strings", () => {
    const characters = [...fill(Math.max(min, 13))];
    for (const broken of ["\0", "\ud83d", "\ude00"]) {
      expect(violationsOf(id, pointer, characters.with(-1, broken).join(""))).toEqual([`${pointer} invalid_format`]);
      expect(violationsOf(id, pointer, characters.with(0, broken).join(""))).toEqual([`${pointer} invalid_format`]);
    }
    expect(violationsOf(id, pointer, true)).toEqual([`${pointer} invalid_type`]);
  });
});

describe.each(integerLimits)("%s %s", (id, pointer, min, max) => {
  it(`accepts integers from ${min} to ${max} and no others`, () => {
    expect(violationsOf(id, pointer, min)).toEqual([]);
    expect(violationsOf(id, pointer, max)).toEqual([]);
    expect(violationsOf(id, pointer, min - 1)).toEqual([`${pointer} too_small`]);
    expect(violationsOf(id, pointer, max + 1)).toEqual([`${pointer} too_big`]);
  });

  it.each([1.5, Number.POSITIVE_INFINITY, "1", true])("refuses the integer %j", (value) => {
    expect(violationsOf(id, pointer, value)).toEqual([`${pointer} invalid_type`]);
  });
});

describe.each(values)("%s %s", (id, pointer, taken, refused) => {
  it("accepts the values of the interface and refuses all others", () => {
    for (const value of taken) expect(violationsOf(id, pointer, value), JSON.stringify(value)).toEqual([]);
    for (const value of refused) {
      const violations = violationsOf(id, pointer, value);
      expect(violations, JSON.stringify(value)).toHaveLength(1);
      expect(violations[0]).toMatch(new RegExp(`^${pointer}(/a)? `));
    }
  });
});

describe("the purpose in the path of a consent", () => {
  const { params } = operations["notify.setDeliveryConsent"];
  const { endpointId } = exampleRequests["notify.setDeliveryConsent"].params;
  it.each([
    ["a", []],
    ["a".repeat(120), []],
    ["a".repeat(121), ["path:purpose too_long"]],
    ["A", ["path:purpose invalid_format"]],
    ["", ["path:purpose too_short"]],
    ["a b", ["path:purpose invalid_format"]],
  ])("validates the purpose %j", (purpose, expected) => {
    const result = validate(params, { endpointId, purpose }, "path:");
    expect(result.ok ? [] : result.violations.map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });
});
