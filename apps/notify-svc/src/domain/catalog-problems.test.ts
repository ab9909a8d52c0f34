import { onlyWith } from "@platform/test-kit/only-with";
import { expect, test } from "vitest";
import { type AppliedCatalog, catalogProblems, type ValidatedEntry } from "./catalog-problems.ts";
import type { SenderProfile } from "./sender-profile.ts";

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
const profileWith = (fields: Partial<SenderProfile> = {}): SenderProfile =>
  onlyWith({ name: "main", channel: "fcm", status: "active", defaultLocale: null, ...fields });
const applied: AppliedCatalog = { templates: [template], profiles: [profileWith()], isConsented: () => true };
const kindsOf = (change: Partial<AppliedCatalog>, of: Partial<ValidatedEntry> = {}) =>
  catalogProblems([{ ...entry, ...of }], { ...applied, ...change }).map(({ kind }) => kind);

test("reports no problem when everything is applied", () => {
  expect(kindsOf({})).toEqual([]);
});

test("names the entry whose template is missing", () => {
  expect(catalogProblems([entry], { ...applied, templates: [{ ...template, channel: "apns" }] })).toEqual([
    { kind: "template", name: "order.shipped fcm en", message: "there is no template shipped for fcm" },
  ]);
});

test("falls back to a shorter form of a language and to the sender's default, as an intent does", () => {
  expect(kindsOf({}, { locale: "en-GB" })).toEqual([]);
  expect(kindsOf({}, { locale: "ja" })).toEqual(["locale"]);
  expect(kindsOf({ profiles: [profileWith({ defaultLocale: "en" })] }, { locale: "ja" })).toEqual([]);
});

test("reports a sender that is missing, of another channel, or disabled", () => {
  expect(kindsOf({ profiles: [] })).toEqual(["sender"]);
  expect(kindsOf({ profiles: [profileWith({ channel: "apns" })] })).toEqual(["sender"]);
  expect(kindsOf({ profiles: [profileWith({ status: "disabled" })] })).toEqual(["sender"]);
});

test("reports a purpose to which nobody has consented, except for email, which needs no consent", () => {
  const isConsented = () => false;
  expect(kindsOf({ isConsented })).toEqual(["purpose"]);
  const mail = {
    templates: [{ ...template, channel: "email" as const }],
    profiles: [profileWith({ channel: "email" })],
  };
  expect(kindsOf({ ...mail, isConsented }, { channel: "email" })).toEqual([]);
});
