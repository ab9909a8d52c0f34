import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogDigest } from "./catalog-digest.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{1,20}$/);
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const entry = fc.record({
  event_key: name,
  template_key: text,
  channel: fc.constantFrom("email", "fcm", "apns", "line", "web_push"),
  purpose: name,
  locale: text,
  sender_profile: text,
  variables: fc.dictionary(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom("__proto__", "10", "9", "é", "\u{1f600}", "﻿"),
    ),
    fc.constantFrom("string", "integer", "number"),
    { noNullPrototype: true },
  ),
});
const catalog = fc.uniqueArray(entry, {
  minLength: 1,
  maxLength: 8,
  selector: ({ event_key, channel, locale }) => `${event_key}\0${channel}\0${locale}`,
});

type Entries = Parameters<typeof catalogDigest>[0];

describe("catalogDigest", () => {
  it("returns the SHA-256 of the output of the canonicalize package", () => {
    fc.assert(
      fc.property(catalog, (entries) => {
        const sorted = entries.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
        expect(catalogDigest(entries as Entries)).toBe(hash("sha256", canonicalize(sorted) ?? "", "hex"));
      }),
      { numRuns: 500 },
    );
  });

  it("returns the same digest for any order of the entries", () => {
    fc.assert(
      fc.property(catalog, (entries) => {
        expect(catalogDigest(entries.toReversed() as Entries)).toBe(catalogDigest(entries as Entries));
      }),
    );
  });
});

function nameOf({ event_key, channel, locale }: { event_key: string; channel: string; locale: string }): string {
  return `${event_key}\0${channel}\0${locale}`;
}
