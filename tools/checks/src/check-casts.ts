import { parseSync, Visitor } from "oxc-parser";
import { readSource, repositoryFiles, sourceFiles } from "./source-files.ts";

/** Casts without a reason and conditional fields that `defined` describes, in the repository, one line each. */
export function checkCasts(): string[] {
  const withDefined = repositoryFiles()
    .filter((path) => /^(apps|libs|tools)\/.*package\.json$/.test(path) && readSource(path).includes('"@platform/kit"'))
    .map((path) => path.slice(0, -"package.json".length));
  return sourceFiles().flatMap((path) => {
    const text = readSource(path);
    const isProduct = !/\.test\.ts$|\/tests?\/|^tests\//.test(path);
    return [
      ...(isProduct ? castProblems(path, text) : []),
      ...(withDefined.some((folder) => path.startsWith(folder)) ? conditionalFieldProblems(path, text) : []),
    ];
  });
}

/**
 * Rejects `as never`, which silences the compiler completely, unless a comment above it explains why the type cannot be
 * written.
 */
export function castProblems(path: string, text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const [code = "", comment] = line.split("//", 2);
    if (comment !== undefined || !/\bas never\b/.test(code) || /^\s*(?:\/\*\*|\*)/.test(line)) return [];
    const above = lines.slice(Math.max(0, index - 2), index);
    if (above.some((each) => /^\s*(?:\/\/|\/\*\*|\*)/.test(each))) return [];
    return [
      `${path}:${index + 1}: casts to never; give the value its type, or say in a comment above why that is impossible`,
    ];
  });
}

/** Rejects `x === undefined ? {} : { a: x }` and similar forms, in favour of `defined({ a: x })`. */
export function conditionalFieldProblems(path: string, text: string): string[] {
  if (!/\{\} :|: \{\}/.test(text)) return [];
  const starts: number[] = [];
  new Visitor({
    ConditionalExpression: ({ start, test, consequent, alternate }) => {
      if (test.type !== "BinaryExpression" || !/^[!=]==?$/.test(test.operator)) return;
      const absent = text.slice(test.right.start, test.right.end);
      if (absent !== "null" && absent !== "undefined") return;
      const [none, some] = test.operator.startsWith("!") ? [alternate, consequent] : [consequent, alternate];
      if (none.type !== "ObjectExpression" || none.properties.length > 0 || some.type !== "ObjectExpression") return;
      const [field] = some.properties;
      if (some.properties.length !== 1 || field?.type !== "Property") return;
      if (text.slice(field.value.start, field.value.end) === text.slice(test.left.start, test.left.end))
        starts.push(start);
    },
  }).visit(parseSync(path, text).program);
  return starts.map((start) => {
    const line = text.slice(0, start).split("\n").length;
    return `${path}:${line}: leaves out a field without a value; write defined({ … }) of @platform/kit/process/fields`;
  });
}
