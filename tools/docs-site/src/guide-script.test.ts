import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeGroups } from "./code-blocks.ts";
import { guideScript, hasLanguage } from "./guide-script.ts";
import { guideText } from "./run-guide.ts";
import { repositoryRoot } from "./site-pages.ts";

const page = `Set up:

\`\`\`sh
export NAME=1
\`\`\`

\`\`\`sh
curl http://127.0.0.1:8080/
\`\`\`

\`\`\`ts
// ask.mjs
ask();
\`\`\`

\`\`\`python
# ask.py
ask()
\`\`\`

Run it:

\`\`\`sh [TypeScript]
node ask.mjs
\`\`\`

\`\`\`sh [Python]
python3 ask.py
\`\`\`

In a web page:

\`\`\`ts
observe();
\`\`\`

\`\`\`json
{}
\`\`\`
`;

test("includes the shared commands, the curl commands and the TypeScript programs for a reader of TypeScript", () => {
  expect(guideScript(page, "TypeScript", { "http://127.0.0.1:8080": "http://127.0.0.1:30000" })).toBe(
    "export NAME=1\ncurl http://127.0.0.1:30000/\ncat > ask.mjs <<'END'\n// ask.mjs\nask();\nEND\nnode ask.mjs\n",
  );
});

test("includes the programs of another language instead of curl and TypeScript", () => {
  expect(guideScript(page, "Python")).toBe(
    "export NAME=1\ncat > ask.py <<'END'\n# ask.py\nask()\nEND\npython3 ask.py\n",
  );
});

test("finds the languages that a page has programs in", () => {
  expect([hasLanguage(page, "TypeScript"), hasLanguage(page, "Python"), hasLanguage(page, "Go")]).toEqual([
    true,
    true,
    false,
  ]);
});

/** Guides whose programs exist in only one language or run in only one environment, with the reason. */
const oneLanguage: Readonly<Record<string, string>> = {
  "first-hour": "it introduces the TypeScript package",
  "show-an-ad": "its program runs in a web page",
  "from-python-go-java": "it shows one generator after another",
};

test.each(
  readdirSync(join(repositoryRoot, "docs/guides"))
    .map((file) => file.replace(/\.md$/, ""))
    .filter((name) => hasLanguage(guideText(name), "TypeScript") && !(name in oneLanguage)),
)("shows each program of %s in TypeScript, Python and Go", (name) => {
  const groups = codeGroups(guideText(name)).filter((group) => group.some(({ label }) => label === "TypeScript"));
  for (const group of groups) {
    const labels = group.map(({ label }) => label).filter((label) => label !== "curl");
    expect(labels).toEqual(["TypeScript", "Python", "Go"]);
  }
});
