import type { Request, RequestHandler } from "express";
import { PageProblem } from "./page-problem.ts";

/**
 * Every input that a route of the hosted pages may read, with its maximal length in UTF-16 units. An input that is not listed here cannot be read: no
 * other module touches the body, the query or the parameters of a request.
 */
export const inputLengths = {
  field: {
    continuation_id: 36,
    continuation_token: 64,
    form_token: 64,
    account: 36,
    // The contract allows addresses of 320 characters, each of which may take two UTF-16 units.
    email: 640,
    // Longer than the maximum length of a password, so that the page can report that it is too long.
    password: 1_024,
    // The code has six digits; copying may add spaces.
    code: 64,
    token: 64,
    session: 32,
    next: 20,
    understood: 3,
  },
  // The presence of `asked` or `opened` shows that the person comes from a form.
  query: { asked: 1, opened: 1, language: 20, next: 20 },
  path: { transactionId: 36, token: 64, version: 16, name: 32 },
} as const;

/** Kinds of inputs, each with the property of the request that contains them. */
const holders = { field: "body", query: "query", path: "params" } as const;

type InputKind = keyof typeof inputLengths;

/** The values of a kind of input; the body is absent if it was not read. */
function valuesOf(request: Pick<Request, "body" | "query" | "params">, kind: InputKind): Record<string, unknown> {
  const values: unknown = request[holders[kind]];
  return typeof values === "object" && values !== null ? (values as Record<string, unknown>) : {};
}

/**
 * An input of a request; empty if it is missing or given twice.
 * @throws PageProblem too_large beyond the input's maximum length
 */
function readInput(request: Pick<Request, "body" | "query" | "params">, kind: InputKind, name: string): string {
  const values = valuesOf(request, kind);
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (typeof value !== "string") return "";
  if (value.length > lengthMaxOf(kind, name)) throw new PageProblem("too_large", 422);
  return value;
}

const lengthMaxOf = (kind: InputKind, name: string): number =>
  (inputLengths[kind] as Readonly<Record<string, number>>)[name] ?? 0;

export type FormFieldName = keyof typeof inputLengths.field;

/** Reads a field of a posted form. @throws PageProblem too_large */
export const formField = (request: Pick<Request, "body">, name: FormFieldName): string =>
  readInput({ body: request.body, query: {}, params: {} }, "field", name);

/** Reads a parameter of the query. @throws PageProblem too_large */
export const queryParameter = (request: Request, name: keyof typeof inputLengths.query): string =>
  readInput(request, "query", name);

/** A parameter of the path. It is empty if it is too long, so that it is rejected like any other invalid one. */
export function pathParameter(request: Pick<Request, "params">, name: keyof typeof inputLengths.path): string {
  const { [name]: value } = request.params;
  return typeof value === "string" && value.length <= inputLengths.path[name] ? value : "";
}

/**
 * Rejects a request with a query parameter or a form field beyond its maximum length, for any route and before anything
 * is looked up.
 */
export const boundInputs: RequestHandler = (request, _response, next) => {
  for (const kind of ["query", "field"] as const) {
    const values = valuesOf(request, kind);
    for (const name of Object.keys(inputLengths[kind])) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      const texts = Array.isArray(value) ? value : [value];
      if (texts.some((text) => typeof text === "string" && text.length > lengthMaxOf(kind, name))) {
        throw new PageProblem("too_large", 422);
      }
    }
  }
  next();
};
