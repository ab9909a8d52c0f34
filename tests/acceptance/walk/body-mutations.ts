import type { NamedOperation } from "@platform/contracts/operations";
import { z } from "zod";

/** The keywords of JSON Schema that the contract's schemas use. */
export type JsonSchema = {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
};

/** A body that violates the contract at one position. */
export type Mutation = {
  readonly name: string;
  readonly body: unknown;
  /** JSON Pointer that the response must contain. */
  readonly path: string;
  /** Codes of the violation that the response may contain. */
  readonly codes: readonly string[];
};

/** Returns the JSON Schema of an operation's body as callers send it. */
export function bodySchemaOf(operation: NamedOperation): JsonSchema | null {
  return operation.body === null ? null : (z.toJSONSchema(operation.body, { io: "input" }) as JsonSchema);
}

/** Returns all ways to violate `schema` at one position of the valid `example`: one mutation per rule and position. */
export function mutationsOf(schema: JsonSchema, example: unknown): Mutation[] {
  return placesOf(schema, example, []).flatMap(({ schema: at, value, path }) =>
    faultsOf(at, value).map(({ name, value: fault, below, codes }) => ({
      name: `${pointer(path)} ${name}`,
      body: replaceAt(example, path, fault),
      path: pointer([...path, ...(below === undefined ? [] : [below])]),
      codes,
    })),
  );
}

/** A position of a string in a body, and the body with another value at this position. */
export type StringPlace = { readonly path: string; readonly replace: (value: unknown) => unknown };

/** Returns every position of `example` at which `schema` requires a string. */
export function stringPlacesOf(schema: JsonSchema, example: unknown): StringPlace[] {
  return placesOf(schema, example, [])
    .filter((place) => alternativesOf(place.schema).some(({ type }) => type === "string"))
    .map(({ path }) => ({ path: pointer(path), replace: (value) => replaceAt(example, path, value) }));
}

type Path = readonly (string | number)[];
type Place = { readonly schema: JsonSchema; readonly value: unknown; readonly path: Path };
type Fault = {
  readonly name: string;
  /** Value to insert. */
  readonly value: unknown;
  /** Path of its wrong property, unless the whole value is wrong. */
  readonly below?: string;
  readonly codes: readonly string[];
};

/** Returns every position that `schema` describes, including those that the example omits. */
function placesOf(schema: JsonSchema, value: unknown, path: Path): Place[] {
  const properties = Object.entries(schema.properties ?? {});
  const inside = properties.flatMap(([name, property]) =>
    placesOf(property, (value as Record<string, unknown> | undefined)?.[name], [...path, name]),
  );
  const named = new Set(Object.keys(schema.properties ?? {}));
  const others = Object.entries(typeof schema.additionalProperties === "object" ? (value ?? {}) : {}).flatMap(
    ([name, other]) =>
      named.has(name) ? [] : placesOf(schema.additionalProperties as JsonSchema, other, [...path, name]),
  );
  const items = schema.items === undefined ? [] : placesOf(schema.items, (value as unknown[])[0], [...path, 0]);
  return [{ schema, value, path }, ...inside, ...others, ...items];
}

/** Returns the allowed types of values at a position, including `null` if the schema allows it. */
function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf !== undefined && schema.type === undefined ? schema.anyOf : [schema];
}

function faultsOf(schema: JsonSchema, value: unknown): Fault[] {
  const alternatives = alternativesOf(schema);
  const types = alternatives.map(({ type }) => type);
  const faults: Fault[] = [];
  const add = (name: string, fault: unknown, ...codes: string[]): void => {
    faults.push({ name, value: fault, codes });
  };
  if (types.every((type) => type === undefined)) return [];
  if (!types.includes("null")) add("null", null, "invalid_type", "invalid_value");
  if (!types.includes("boolean")) add("a boolean", true, "invalid_type", "invalid_value");
  if (!types.includes("string")) add("text", "text", "invalid_type");
  if (!types.includes("array")) add("an array", [], "invalid_type", "invalid_value");
  if (!types.includes("object")) add("an operator", { $gt: "" }, "invalid_type", "invalid_value");
  if (!types.includes("integer") && !types.includes("number")) add("a number", 7, "invalid_type", "invalid_value");
  for (const alternative of alternatives) {
    // If the schema allows any number, the rules for integers do not apply.
    if (alternative.type === "integer" && types.includes("number")) continue;
    faults.push(...boundFaults(alternative), ...objectFaults(alternative, value));
  }
  return faults;
}

function boundFaults(schema: JsonSchema): Fault[] {
  const { type, enum: values, pattern, format, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const faults: Fault[] = [];
  const add = (name: string, value: unknown, ...codes: string[]): void => {
    faults.push({ name, value, codes });
  };
  if (values !== undefined) return [{ name: "no value of the list", value: "nonsense", codes: ["invalid_value"] }];
  if (type === "string") {
    add("NUL", "\0".repeat(minLength ?? 1), "invalid_format");
    add("a lone surrogate", "\ud800".repeat(minLength ?? 1), "invalid_format");
    if (pattern !== undefined || format !== undefined)
      add("the wrong format", "\u00e9 !", "invalid_format", "too_short");
    if (minLength !== undefined) add("too short", "a".repeat(minLength - 1), "too_short");
    if (maxLength !== undefined) add("too long", "a".repeat(maxLength + 1), "too_long", "invalid_format");
    // The character has two UTF-16 units and one code point, and the limit counts code points.
    if (maxLength !== undefined)
      add("too long in code points", "\u{1f600}".repeat(maxLength + 1), "too_long", "invalid_format");
  }
  if (type === "integer") {
    add("a fraction", 1.5, "invalid_type");
    add("a number beyond the safe range", 2 ** 53, "invalid_type", "too_big");
    if (minimum !== undefined) add("too small", minimum - 1, "too_small");
    if (maximum !== undefined) add("too big", maximum + 1, "too_big");
  }
  if (type === "array" && minItems !== undefined) add("too few items", [], "too_short");
  if (type === "array" && maxItems !== undefined) add("too many items", Array(maxItems + 1).fill({}), "too_long");
  return faults;
}

function objectFaults(schema: JsonSchema, value: unknown): Fault[] {
  if (schema.type !== "object" || typeof value !== "object" || value === null) return [];
  const faults: Fault[] = [];
  for (const name of schema.required ?? []) {
    const { [name]: _left, ...rest } = value as Record<string, unknown>;
    faults.push({ name: `without ${name}`, value: rest, below: name, codes: ["required"] });
  }
  if (schema.additionalProperties === false) {
    for (const name of ["nope", "$where", "a.b", "constructor", "~/"]) {
      faults.push({ name: `with ${name}`, value: { ...value, [name]: 1 }, below: name, codes: ["unknown_property"] });
    }
  }
  if (schema.maxProperties !== undefined) {
    const many = Object.fromEntries(Array.from({ length: schema.maxProperties + 1 }, (_, n) => [`v${n}`, "string"]));
    faults.push({ name: "with too many properties", value: many, codes: ["too_long"] });
  }
  if (typeof schema.additionalProperties === "object" && Object.keys(schema.additionalProperties).length > 0) {
    faults.push({
      name: "with a property of a wrong type",
      value: { ...value, wrong: [] },
      below: "wrong",
      codes: ["invalid_type", "invalid_value"],
    });
  }
  return faults;
}

function pointer(path: Path): string {
  const segments = path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return segments.length === 0 ? "/" : segments.join("");
}

function replaceAt(root: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (Array.isArray(root)) return root.map((item, index) => (index === first ? replaceAt(item, rest, value) : item));
  const object = root as Record<string, unknown>;
  return { ...object, [first]: replaceAt(object[first], rest, value) };
}
