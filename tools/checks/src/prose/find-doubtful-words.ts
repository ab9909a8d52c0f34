import { TextlintKernel, type TextlintRuleModule } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import plainText from "@textlint/textlint-plugin-text";
import { commentsOf } from "./comments.ts";
import { doubtfulWords } from "./words.ts";

type Finding = {
  /** Position in the form `path:line:column`. */
  readonly place: string;
  readonly word: string;
  readonly instead: string;
};

const reportWords: TextlintRuleModule = ({ Syntax, RuleError, locator, report, getSource }) => ({
  [Syntax.Str](node) {
    const text = getSource(node);
    for (const { word, pattern } of doubtfulWords) {
      for (const { index, 0: match } of text.matchAll(new RegExp(pattern, "gi"))) {
        report(node, new RuleError(word, { padding: locator.range([index, index + match.length]) }));
      }
    }
  },
});

/** Returns the default export of a CommonJS module, which Node wraps and vitest does not. */
function pluginOf<T extends object>(module: { readonly default: T } | T): T {
  return "default" in module ? module.default : module;
}

const kernel = new TextlintKernel();

/** Finds doubtful words in a Markdown document, outside of its code, or in the comments of a TypeScript source. */
export async function findDoubtfulWords(path: string, source: string): Promise<Finding[]> {
  const isDocument = path.endsWith(".md");
  const text = isDocument ? source : commentsOf(path, source);
  // A search comes first, because parsing costs far more and most files contain none of the words.
  if (!doubtfulWords.some(({ pattern }) => new RegExp(pattern, "i").test(text))) return [];
  const { messages } = await kernel.lintText(text, {
    ext: isDocument ? ".md" : ".txt",
    filePath: path,
    plugins: [
      { pluginId: "markdown", plugin: pluginOf(markdown) },
      { pluginId: "text", plugin: pluginOf(plainText) },
    ],
    rules: [{ ruleId: "doubtful-words", rule: reportWords }],
  });
  return messages.map(({ message, loc }) => ({
    place: `${path}:${loc.start.line}:${loc.start.column}`,
    word: message,
    instead: doubtfulWords.find(({ word }) => word === message)?.instead ?? "",
  }));
}
