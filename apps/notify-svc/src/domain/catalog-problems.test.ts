import { expect, test } from "vitest";
import { type AppliedCatalog, catalogProblems, type ValidatedEntry } from "./catalog-problems.ts";

const entry: ValidatedEntry = {
  eventKey: "order.shipped",
  templateKey: "shipped",
  channel: "fcm",
  purpose: "orders",
  locale: "en",
  senderProfile: "main",
};
const template = {
  key: "shipped",
  channel: "fcm",
  locale: "en",
  subject: "s",
  text: "t",
  html: null,
  push: null,
  mail: null,
  variables: {},
} as const;
const profile = { name: "main", channel: "fcm", status: "active", defaultLocale: null } as never;
const applied: AppliedCatalog = { templates: [template], profiles: [profile], isConsented: () => true };
const kindsOf = (change: Partial<AppliedCatalog>, of: Partial<ValidatedEntry> = {}) =>
  catalogProblems([{ ...entry, ...of }], { ...applied, ...change }).map(({ kind }) => kind);

test("finds nothing where everything is applied", () => {
  expect(kindsOf({})).toEqual([]);
});

test("names the entry and the template that there is not", () => {
  expect(catalogProblems([entry], { ...applied, templates: [{ ...template, channel: "apns" }] })).toEqual([
    { kind: "template", name: "order.shipped fcm en", message: "there is no template shipped for fcm" },
  ]);
});

test("falls back to a shorter form of a language and to the sender's default, as an intent does", () => {
  expect(kindsOf({}, { locale: "en-GB" })).toEqual([]);
  expect(kindsOf({}, { locale: "ja" })).toEqual(["locale"]);
  const withDefault = { name: "main", channel: "fcm", status: "active", defaultLocale: "en" } as never;
  expect(kindsOf({ profiles: [withDefault] }, { locale: "ja" })).toEqual([]);
});

test("finds a sender that there is not, of another channel, or disabled", () => {
  expect(kindsOf({ profiles: [] })).toEqual(["sender"]);
  expect(
    kindsOf({ profiles: [{ name: "main", channel: "apns", status: "active", defaultLocale: null } as never] }),
  ).toEqual(["sender"]);
  expect(
    kindsOf({ profiles: [{ name: "main", channel: "fcm", status: "disabled", defaultLocale: null } as never] }),
  ).toEqual(["sender"]);
});

test("finds a purpose without any consent, but not for email, which needs none", () => {
  const isConsented = () => false;
  expect(kindsOf({ isConsented })).toEqual(["purpose"]);
  const mail = {
    templates: [{ ...template, channel: "email" as const }],
    profiles: [{ name: "main", channel: "email", status: "active", defaultLocale: null } as never],
  };
  expect(kindsOf({ ...mail, isConsented }, { channel: "email" })).toEqual([]);
});
