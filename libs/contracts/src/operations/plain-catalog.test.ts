import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { catalogEntries, ValidateNotificationCatalogBody } from "./notify-schemas.ts";
import { isPlainCatalog } from "./plain-catalog.ts";

const ordinary = {
  event_key: "order.placed",
  template_key: "order-placed",
  channel: "email",
  purpose: "order.status",
  locale: "en",
  sender_profile: "orders",
  variables: { name: "string", order: "integer" },
};

/** What stands at the edge of each rule, on either side of it. */
const oddText = fc.oneof(
  fc.constantFrom("", "a", "ab", "A.b", "a b", "a\0", "\ud800", "é", "\u{1f600}", "~", "\x7f", "__proto__"),
  fc.nat(130).map((length) => "a".repeat(length)),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const oddValue = fc.oneof(oddText, fc.integer(), fc.constantFrom(null, true, [], {}, ["string"], undefined));
const types = fc.constantFrom("string", "integer", "number", "boolean", 1, null);
const oddVariables = fc.oneof(
  fc.dictionary(oddText, types, { noNullPrototype: true }),
  fc.nat(52).map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, "number"]))),
  oddValue,
);
const field = fc.constantFrom(...Object.keys(ordinary), "unknown", "__proto__", "constructor");
const change = fc.oneof(
  fc.record({ field, value: fc.oneof(oddValue, fc.constantFrom("sms", "fcm", "apns", "web_push", "line")) }),
  fc.record({ field: fc.constant("variables"), value: oddVariables }),
  fc.record({ field, value: fc.constant("absent") }),
);
const entry = fc.array(change, { maxLength: 2 }).map((changes) => {
  const entries = new Map<string, unknown>(Object.entries(ordinary));
  for (const { field, value } of changes) {
    if (value === "absent") entries.delete(field);
    else entries.set(field, value);
  }
  // As it comes from JSON.parse, where `__proto__` is a property like any other.
  return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as unknown;
});
const numbered = fc
  .array(entry, { maxLength: 4 })
  .chain((entries) => fc.boolean().map((isNumbered) => (isNumbered ? entries.map(withNumber) : entries)));
const anyEntries = fc.oneof(numbered, fc.oneof(entry, oddValue));

function withNumber(value: unknown, index: number): unknown {
  if (typeof value !== "object" || value === null || !("locale" in value) || value.locale !== "en") return value;
  return { ...value, locale: `en-${index}` };
}

const byZodAlone = z.object({ entries: catalogEntries() });

describe("isPlainCatalog", () => {
  it("accepts nothing that zod refuses or answers otherwise", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyEntries, (entries) => {
        if (!isPlainCatalog(entries)) return;
        accepted += 1;
        const judged = catalogEntries().safeParse(entries);
        expect(judged.success).toBe(true);
        expect(JSON.stringify(sorted(judged.data))).toBe(JSON.stringify(sorted(entries)));
      }),
      { numRuns: 20_000 },
    );
    expect(accepted).toBeGreaterThan(1_000);
  });

  it("leaves every violation to zod", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const [ours, zods] = [ValidateNotificationCatalogBody, byZodAlone].map((body) => body.safeParse({ entries }));
        expect(ours?.success).toBe(zods?.success);
        expect(ours?.error?.issues).toEqual(zods?.error?.issues);
      }),
      { numRuns: 2_000 },
    );
  });

  it("decides an ordinary catalog of 500 entries, and none of 501", () => {
    const entries = Array.from({ length: 501 }, (_, index) => ({ ...ordinary, event_key: `order.e${index}` }));
    expect(isPlainCatalog(entries.slice(1))).toBe(true);
    expect(isPlainCatalog(entries)).toBe(false);
    expect(ValidateNotificationCatalogBody.safeParse({ entries }).success).toBe(false);
  });

  it("tells entries apart by channel and locale too", () => {
    const inFrench = { ...ordinary, locale: "fr" };
    expect(isPlainCatalog([ordinary, inFrench, { ...ordinary, channel: "fcm" }])).toBe(true);
    expect(isPlainCatalog([ordinary, inFrench, { ...inFrench }])).toBe(false);
  });
});

/** With the properties of every entry in one order: zod answers them in its own. */
function sorted(entries: unknown): unknown {
  return (entries as Record<string, unknown>[]).map((each) =>
    Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
