import { z } from "zod";
import { codePointCount, isStorableText } from "./text.ts";

/** JSON whose keys and values the caller chooses. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Maximum number of violations that are collected for an object. A response contains no more. */
const noted = 50;

type Issues = { push(issue: z.core.$ZodRawIssue): unknown; readonly length: number };

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Creates the schema of a JSON object that is kept unchanged. It returns the given object itself, because zod's objects
 * and records copy an object without `__proto__`. `eachProperty` validates one property and reports violations under
 * its key. `jsonSchema` describes the object in documents, and its `propertyValues` is the schema of the values.
 */
function callerObject<T>(
  eachProperty: (key: string, value: unknown, issues: Issues) => void,
  jsonSchema: Record<string, unknown>,
  propertiesMax = Number.POSITIVE_INFINITY,
): z.ZodType<T, T> {
  const schema = z.unknown().check((payload) => {
    const { value, issues } = payload;
    if (!isPlainObject(value)) {
      issues.push({ code: "invalid_type", expected: "object", input: value });
      return;
    }
    const keys = Object.keys(value);
    if (keys.length > propertiesMax) {
      issues.push({ code: "too_big", origin: "object", maximum: propertiesMax, inclusive: true, input: value });
      return;
    }
    for (const key of keys) {
      if (issues.length >= noted) return;
      if (isStorableText(key)) eachProperty(key, value[key], issues);
      else issues.push({ code: "invalid_format", format: "text", path: [key], input: key });
    }
  });
  return schema.meta({ type: "object", ...jsonSchema }) as z.ZodType<unknown, unknown> as z.ZodType<T, T>;
}

/** Maximum nesting that is validated by recursion. The gateway's parser rejects bodies with deeper nesting. */
const recursionMax = 64;

/**
 * Returns whether the whole value can be stored and written back unchanged. Returns false also for a value that is
 * nested deeper than `recursionMax`. Every number can be stored, because the code that stores it keeps its digits
 * (`parseExactly`), even if JSON.parse reads it as Infinity.
 */
function isStorableJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case "string":
      return isStorableText(value);
    case "object":
      if (value === null) return true;
      if (depth > recursionMax) return false;
      if (Array.isArray(value)) return value.every((item) => isStorableJson(item, depth + 1));
      for (const key of Object.keys(value)) {
        if (!isStorableText(key) || !isStorableJson((value as Record<string, unknown>)[key], depth + 1)) return false;
      }
      return true;
    default:
      return true;
  }
}

/**
 * A position inside a value, linked to the position that contains it. The path is built only for positions that are
 * reported.
 */
type Place = { readonly around: Place | null; readonly key: string | number };

function pathOf(place: Place | null): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at !== null; at = at.around) path.unshift(at.key);
  return path;
}

/**
 * Reports every position of a JSON value that cannot be stored or written back. It uses an explicit stack, so nesting cannot exhaust the call stack.
 */
function noteUnstorable(root: string, input: unknown, issues: Issues): void {
  const open: { place: Place; value: unknown }[] = [{ place: { around: null, key: root }, value: input }];
  for (let next = open.pop(); next !== undefined && issues.length < noted; next = open.pop()) {
    const { place, value } = next;
    if (typeof value === "object" && value !== null) {
      const isArray = Array.isArray(value);
      for (const key of Object.keys(value).reverse()) {
        const inside = { around: place, key: isArray ? Number(key) : key };
        if (isStorableText(key)) open.push({ place: inside, value: (value as Record<string, unknown>)[key] });
        else issues.push({ code: "invalid_format", format: "text", path: pathOf(inside), input: key });
      }
    } else if (!isStorableJson(value)) {
      issues.push({ code: "invalid_format", format: "text", path: pathOf(place), input: value as string });
    }
  }
}

/** Any JSON object, such as the `data` of a Domain Event. It is stored and returned exactly, whatever its keys are. */
export const jsonObject = callerObject<JsonObject>(
  (key, value, issues) => {
    // Positions are searched only if the value is invalid, which is rare, because building the path of every leaf costs
    // more than the validation.
    if (!isStorableJson(value)) noteUnstorable(key, value, issues);
  },
  { additionalProperties: true },
);

/**
 * Returns whether a member of a body is the caller's own JSON: one with the schema `jsonObject`, or one that the
 * contract does not name. Numbers in it keep every digit. Other numbers are read as doubles, and rejected if that would
 * change them.
 */
export function isCallerOwned(body: z.ZodType, member: string): boolean {
  if (!(body instanceof z.ZodObject)) return false;
  const schema: z.ZodType | undefined = Object.hasOwn(body.shape, member) ? body.shape[member] : undefined;
  return schema === undefined || schema.meta()?.additionalProperties === true;
}

/** The type names that a catalog entry may declare for its variables. */
export const variableTypes = ["string", "integer", "number"] as const;
export type VariableType = (typeof variableTypes)[number];

/** Declared variables of a catalog entry, by name, each with its type name. At most 50. */
export const variableDeclarations = callerObject<Readonly<Record<string, VariableType>>>(
  (key, value, issues) => {
    if (!(variableTypes as readonly unknown[]).includes(value)) {
      issues.push({ code: "invalid_value", values: [...variableTypes], path: [key], input: value });
    }
  },
  {
    id: "VariableDeclarations",
    description: "The variables of the template by name, each with its type.",
    maxProperties: 50,
    propertyValues: z.enum(variableTypes).meta({ id: "VariableType", description: "The type of a template variable." }),
  },
  50,
);

/** Maximum length of a string in the variables of a Notification Intent, in code points. */
const variableTextMax = 5000;

const VariableValue = z
  .union([
    z.string().meta({ id: "VariableText", maxLength: variableTextMax, description: "A text, which may be empty." }),
    z.number().meta({
      id: "VariableNumber",
      description: "A number. A number that a double cannot represent exactly is rejected.",
    }),
  ])
  .meta({ id: "VariableValue", description: "The value of one template variable." });

/**
 * Variables of a Notification Intent, by name, each a string (at most 5000 characters) or a number. At most 50. An
 * empty string is an ordinary value.
 */
export const variables = callerObject<Readonly<Record<string, string | number>>>(
  (key, value, issues) => {
    if (typeof value === "string") {
      if (
        value.length > variableTextMax &&
        (value.length > 2 * variableTextMax || codePointCount(value) > variableTextMax)
      ) {
        issues.push({
          code: "too_big",
          origin: "string",
          maximum: variableTextMax,
          inclusive: true,
          path: [key],
          input: value,
        });
      } else if (!isStorableText(value)) {
        issues.push({ code: "invalid_format", format: "text", path: [key], input: value });
      }
    } else if (typeof value !== "number" || !Number.isFinite(value)) {
      // zod can name only one expected type, so the names of both types are passed as one.
      issues.push({ code: "invalid_type", expected: "string or number", path: [key], input: value });
    }
  },
  {
    id: "Variables",
    description: "Template variables by name: exactly those that the template declares.",
    maxProperties: 50,
    propertyValues: VariableValue,
  },
  50,
);
