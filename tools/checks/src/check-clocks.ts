import { parseSync, Visitor } from "oxc-parser";
import { readSource, sourceFiles } from "./source-files.ts";

/** Operators with which code computes a wait or a duration from a time. */
const measuring = ["-", "+", "<", "<=", ">", ">="];
const mark = /\bwall[ -]clock\b/i;

/** Returns uses of the machine's clock for waits and durations in the repository, one line each. */
export function checkClocks(): string[] {
  return sourceFiles()
    .filter((path) => !/\.test\.ts$|\/tests?\/|^tests\//.test(path))
    .flatMap((path) => clockProblems(path, readSource(path)));
}

/**
 * Rejects `Date.now()` and `new Date().getTime()` in code that measures or waits: in sums, differences and comparisons, and in variables named after a start
 * or an end. The machine's clock may jump: if it is set back by a minute, a wait takes a minute longer. A sum that becomes a Date is a point in time that
 * another program reads, so it may use the clock. A line whose comment explains why it needs the system clock may do so, too.
 */
export function clockProblems(path: string, text: string): string[] {
  if (!text.includes("Date")) return [];
  const { program } = parseSync(path, text);
  const lines = text.split("\n");
  const starts: number[] = [];
  const found = (node: unknown): void => {
    for (const start of readings(node)) starts.push(start);
  };
  // A Date, or a number of seconds since the epoch, is a point in time that another program reads.
  const moments = new Set<number>();
  const isMomentFor = (node: unknown): void => {
    for (const start of readings(node)) moments.add(start);
  };
  new Visitor({
    BinaryExpression: (node) => {
      if (measuring.includes(node.operator)) found(node);
      if (node.operator === "/") isMomentFor(node.left);
    },
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "Date") isMomentFor(node.arguments);
    },
    VariableDeclarator: (node) => {
      if (node.id.type === "Identifier" && isMoment(node.id.name)) found(node.init);
    },
    Property: (node) => {
      if (node.key.type === "Identifier" && isMoment(node.key.name)) found(node.value);
    },
    PropertyDefinition: (node) => {
      const { key } = node;
      if ((key.type === "Identifier" || key.type === "PrivateIdentifier") && isMoment(key.name)) found(node.value);
    },
    AssignmentExpression: (node) => {
      if (isMoment(text.slice(node.left.start, node.left.end))) found(node.right);
    },
  }).visit(program);
  return [...new Set(starts).difference(moments)].flatMap((start) => {
    const line = text.slice(0, start).split("\n").length;
    const said = lines.slice(Math.max(0, line - 3), line).join("\n");
    if (mark.test(said)) return [];
    return [
      `${path}:${line}: measures time by a clock that steps; use performance.now(), for deadlines of calls steadyNowMs(), or say in a comment why it needs the wall clock`,
    ];
  });
}

const isMoment = (name: string): boolean =>
  /(started|sent|tried|opened|heard|used|shown|made|seen|ended)At(Ms)?$|until(Ms)?$|deadlineMs$/i.test(name);

/**
 * Finds the positions at which an expression reads the machine's clock. Nested functions, and Dates that are created from a sum, are ignored.
 */
function readings(node: unknown): number[] {
  if (Array.isArray(node)) return node.flatMap(readings);
  if (typeof node !== "object" || node === null) return [];
  const { type, start } = node as { type?: string; start: number };
  if (type === undefined || type.includes("Function")) return [];
  const { callee } = node as { callee?: Named };
  const isNow = callee?.object?.name === "Date" && callee.property?.name === "now";
  const isTimeOfNew = callee?.object?.callee?.name === "Date" && callee.property?.name === "getTime";
  if (type === "CallExpression" && (isNow || (isTimeOfNew && callee?.object?.arguments?.length === 0))) return [start];
  return Object.entries(node).flatMap(([key, child]) => (key === "parent" ? [] : readings(child)));
}

type Named = {
  readonly object?: { name?: string; callee?: { name?: string }; arguments?: unknown[] };
  readonly property?: { name?: string };
};
