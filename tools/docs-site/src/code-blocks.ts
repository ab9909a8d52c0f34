/** Labels of code blocks by their language. A block can have another label, in brackets after its language. */
const labels: Readonly<Record<string, string>> = {
  sh: "curl",
  ts: "TypeScript",
  js: "TypeScript",
  python: "Python",
  go: "Go",
  java: "Java",
};

/** A fenced block of code on a page. */
export type CodeBlock = {
  /** The word after the opening fence, such as `sh`. */
  readonly language: string;
  /** Title of the block's tab. Null for a language that has no tabs, such as `json`. */
  readonly label: string | null;
  readonly code: string;
  /** Offsets of the block's beginning and end in the text of the page, including its fences. */
  readonly start: number;
  readonly end: number;
};

const fenced = /^```([a-z]+)(?: \[([^\]\n]+)\])?\n([\s\S]*?)^```$/gm;

/**
 * Returns the code blocks of a page. Blocks with different labels with no prose between them form a group of alternatives, of which a reader uses one.
 */
export function codeGroups(text: string): CodeBlock[][] {
  const groups: CodeBlock[][] = [];
  for (const match of text.matchAll(fenced)) {
    const [whole, language = "", title, code = ""] = match;
    const label = title ?? labels[language] ?? null;
    const block = { language, label, code, start: match.index, end: match.index + whole.length };
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isAlternative =
      last !== undefined &&
      text.slice(last.end, block.start).trim() === "" &&
      group?.every((other) => other.label !== null && label !== null && other.label !== label);
    if (isAlternative) group?.push(block);
    else groups.push([block]);
  }
  return groups;
}
