/** A node of the syntax tree, with the children that this file reads. */
type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [child: string]: unknown;
};

/** Positions at which an expression reads the machine's or the database's clock, and the variables that it mentions. */
export type Readings = {
  readonly clock: readonly number[];
  readonly database: readonly number[];
  readonly names: readonly { readonly name: string; readonly start: number }[];
};

const none: Readings = { clock: [], database: [], names: [] };
const together = (all: readonly Readings[]): Readings => ({
  clock: all.flatMap(({ clock }) => clock),
  database: all.flatMap(({ database }) => database),
  names: all.flatMap(({ names }) => names),
});

/** Finds what an expression reads. Nested functions are ignored, because they run at another time. */
export function readingsOf(value: unknown): Readings {
  if (Array.isArray(value)) return together(value.map(readingsOf));
  if (!isNode(value) || value.type.includes("Function")) return none;
  if (isReading(value)) return { ...none, clock: [value.start] };
  if (isDatabaseReading(value)) return { ...none, database: [value.start] };
  // A remainder rounds a time to an hour or a day.
  if (isPartOfDate(value) || value.operator === "%") return none;
  if (value.type === "Identifier") return { ...none, names: [{ name: String(value.name), start: value.start }] };
  const unread = value.computed === true ? [] : [value.type === "MemberExpression" ? "property" : "key"];
  return together(
    Object.entries(value).map(([key, child]) => (["parent", ...unread].includes(key) ? none : readingsOf(child))),
  );
}

/** Returns whether the node is `new Date()`, which holds the time at which it was created. */
export const isNewDate = (node: unknown): boolean =>
  isNode(node) && node.type === "NewExpression" && isNamed(node.callee, "Date") && lengthOf(node.arguments) === 0;

/** Returns whether the node is `Date.now`, called or not. */
export const isDateNow = (node: unknown): boolean => isMember(node, ["now"]) && isNamed(objectOf(node), "Date");

/** Returns whether the node is a number that shows the machine's clock: `Date.now()`, or a new Date as a number. */
export function isReading(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === "UnaryExpression") return node.operator === "+" && isNewDate(node.argument);
  if (node.type !== "CallExpression") return false;
  if (isNamed(node.callee, "Number")) return Array.isArray(node.arguments) && isNewDate(node.arguments[0]);
  return isDateNow(node.callee) || (isMember(node.callee, ["getTime", "valueOf"]) && isNewDate(objectOf(node.callee)));
}

/** Returns whether the node reads the clock of the database: `clock()`, `deps.clock()`, or the milliseconds of one. */
export function isDatabaseReading(node: unknown): boolean {
  if (!isNode(node) || node.type !== "CallExpression" || lengthOf(node.arguments) > 0) return false;
  if (isMember(node.callee, ["getTime", "valueOf"])) return isDatabaseReading(objectOf(node.callee));
  return isNamed(node.callee, "clock") || isMember(node.callee, ["clock"]);
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

const isNamed = (node: unknown, name: string): boolean =>
  isNode(node) && node.type === "Identifier" && node.name === name;

/** Returns whether the node is the year, month or another part of a Date, which does not measure a time. */
const isPartOfDate = ({ type, callee }: Node): boolean =>
  type === "CallExpression" &&
  isNode(callee) &&
  isNode(callee.property) &&
  /^getUTC/.test(String(callee.property.name));

const objectOf = (node: unknown): unknown => (isNode(node) ? node.object : undefined);

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** Returns whether the node reads one of these properties, as `a.name` or as `a["name"]`. */
function isMember(node: unknown, names: readonly string[]): boolean {
  if (!isNode(node) || node.type !== "MemberExpression" || !isNode(node.property)) return false;
  const { name, value } = node.property;
  return names.includes(String(node.computed === true ? value : name));
}
