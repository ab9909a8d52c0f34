import { expect, test } from "vitest";
import { findDoubtfulWords } from "./find-doubtful-words.ts";

const wordsOf = async (path: string, source: string): Promise<string[]> =>
  (await findDoubtfulWords(path, source)).map(({ place, word }) => `${place} ${word}`);

test("finds a doubtful word of a document at its line and column", async () => {
  expect(await wordsOf("a.md", "# Title\n\nEvery request is\nanswered at once.\n")).toEqual([
    "a.md:4:1 answers",
    "a.md:4:10 at once",
  ]);
});

test("passes over code blocks and inline code of a document", async () => {
  expect(await wordsOf("a.md", "Run `told`.\n\n```sh\nmails\n```\n")).toEqual([]);
});

test("finds a doubtful word in a comment but not in code", async () => {
  const source =
    'const told = "mails";\n\n/** Tells whoever calls `mails`. */\nexport const other = told;\n// Stands here.\n';
  expect(await wordsOf("a.ts", source)).toEqual(["a.ts:3:11 whoever", "a.ts:5:4 stands"]);
});

test("reports nothing for words that only contain a doubtful word", async () => {
  expect(await wordsOf("a.md", "Besides, standstill and emails are fine.\n")).toEqual([]);
});
