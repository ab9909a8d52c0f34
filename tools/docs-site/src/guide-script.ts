import { type CodeBlock, codeGroups } from "./code-blocks.ts";

export type GuideLanguage = "TypeScript" | "Python" | "Go";

/** Returns the file that the first line of a program names in a comment, such as `// upload.mjs`. */
function fileOf(code: string): string | null {
  return /^(?:\/\/|#) (\S+\.(?:m?js|py|go))\n/.exec(code)?.[1] ?? null;
}

/** Returns the blocks of a group that a reader of one language uses. A reader of TypeScript also runs the curl commands. */
function chosenBlocks(group: readonly CodeBlock[], language: GuideLanguage): readonly CodeBlock[] {
  if (language === "TypeScript") return group.filter(({ label }) => label === "curl" || label === language);
  const own = group.filter(({ label }) => label === language);
  return own.length > 0 ? own : group.filter(({ label }) => label === "curl");
}

/** Returns whether a page has programs in a language. */
export function hasLanguage(text: string, language: GuideLanguage): boolean {
  return codeGroups(text).some((group) => group.some(({ label }) => label === language));
}

/**
 * Returns a page as a reader of one language types it in one terminal: its commands in their order, and each program written to the file in its first line.
 * Programs without a file are for other places, such as a web page.
 * @param addresses addresses that the page prints, and the addresses to use instead
 */
export function guideScript(
  text: string,
  language: GuideLanguage,
  addresses: Readonly<Record<string, string>> = {},
): string {
  const typed = codeGroups(text).flatMap((group) =>
    chosenBlocks(group, language).map(({ language: fence, code }) => {
      if (fence === "sh") return code;
      const file = fileOf(code);
      return file === null ? "" : `cat > ${file} <<'END'\n${code}END\n`;
    }),
  );
  return Object.entries(addresses).reduce(
    (script, [printed, used]) => script.replaceAll(printed, used),
    typed.join(""),
  );
}
