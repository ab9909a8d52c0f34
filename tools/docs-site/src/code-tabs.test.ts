import { expect, test } from "vitest";
import { groupCodeTabs } from "./code-tabs.ts";

const sh = "```sh\ncurl\n```";
const ts = "```ts\nfetch\n```";

test("groups adjacent code blocks of different languages into tabs", () => {
  expect(groupCodeTabs(`Before.\n\n${sh}\n\n${ts}\n\nAfter.\n`)).toBe(
    "Before.\n\n::: code-group\n\n```sh [curl]\ncurl\n```\n\n```ts [TypeScript]\nfetch\n```\n\n:::\n\nAfter.\n",
  );
});

test.each([
  ["prose between them", `${sh}\n\nThen:\n\n${ts}\n`],
  ["the same language", `${sh}\n\n${sh}\n`],
  ["a language without a tab", `${sh}\n\n\`\`\`json\n{}\n\`\`\`\n`],
])("leaves code blocks with %s as they are", (_name, text) => {
  expect(groupCodeTabs(text)).toBe(text);
});
