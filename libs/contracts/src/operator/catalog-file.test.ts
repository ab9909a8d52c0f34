import { expect, test } from "vitest";
import { catalogFileEntry, readCatalogFile } from "./catalog-file.ts";

const push = {
  key: "shipped",
  channel: "fcm",
  locale: "en",
  subject: "Order {{ number }}",
  text: "It left.",
  data: { order: "{{ number }}" },
  link: "https://shop.example/{{ number }}",
  badge: "{{ open }}",
  sound: "ding.caf",
  ttl_seconds: 3600,
  collapse_key: "order",
  priority: "high",
  variables: { number: "integer", open: "integer" },
};
const mail = {
  key: "shipped",
  channel: "email",
  locale: "en",
  subject: "S",
  text: "T",
  html: "<p>T</p>",
  variables: {},
};
const letter = {
  ...mail,
  locale: "de",
  attachments: [{ file: "{{ invoice }}", name: "invoice.pdf" }],
  reply_to: "help@shop.example",
  headers: { "X-Campaign": "spring" },
  variables: { invoice: "string" },
};

test("reads a file and writes the same file again, with every field of a push and of an email", () => {
  const read = readCatalogFile({ templates: [push, mail, letter] });
  if ("problems" in read) throw new Error(read.problems.join());
  expect(read.templates[0]?.push).toMatchObject({
    ttlSeconds: 3600,
    collapseKey: "order",
    data: { order: "{{ number }}" },
  });
  expect(read.templates.map(catalogFileEntry)).toEqual([push, mail, letter]);
});

test("reads a badge that is a number, and reads no push from a template without push fields", () => {
  const {
    data: _data,
    link: _link,
    sound: _sound,
    ttl_seconds: _ttl,
    collapse_key: _key,
    priority: _priority,
    ...rest
  } = push;
  const read = readCatalogFile({ templates: [{ ...rest, badge: 3 }, mail] });
  expect(read).toMatchObject({ templates: [{ push: { badge: "3", data: {} } }, { key: "shipped" }] });
  expect("templates" in read && read.templates[1]).not.toHaveProperty("push");
});

test("reports the position of an error", () => {
  expect(readCatalogFile({ templates: [{ ...mail, colour: "red" }] })).toEqual({
    problems: [expect.stringMatching(/^templates\.0: .*colour/)],
  });
});
