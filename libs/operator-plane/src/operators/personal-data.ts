import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import type { Operator, RoleName } from "@platform/kit/rpc/client";
import { masked_for_viewers, recorded_lookup } from "@platform/proto/operator/v1/personal_data";

/** Roles that see personal data only in masked form. A person who also has another role sees the data itself. */
const maskedRoles: readonly RoleName[] = ["viewer"];

/** Replaces a masked text. */
export const maskedText = "***";
/** Replaces the content of a masked JSON field, so that the field remains a valid document. */
export const maskedJson = JSON.stringify({ masked: true });

/** Returns whether an operator sees personal data only in masked form. */
export const seesMasked = ({ roles }: Pick<Operator, "roles">): boolean =>
  roles.every((role) => maskedRoles.includes(role));

/** Returns whether a request looks up a person by a field that is marked `recorded_lookup`. */
export function looksUp(schema: DescMessage, request: object): boolean {
  return schema.fields.some((field) => isLookup(field) && (Reflect.get(request, field.localName) ?? "") !== "");
}

/**
 * Returns whether a field of requests is marked `recorded_lookup`. Its value identifies a person and therefore must not
 * be part of a URL.
 */
export const isLookup = (field: DescField): boolean =>
  hasOption(field, recorded_lookup) && getOption(field, recorded_lookup);

/** Returns a copy of a message in which every personal text is masked. The message itself is not changed. */
export type Mask = (message: object) => object;

/**
 * Creates the mask for messages of a schema, including nested messages. Returns null if no field is marked
 * `masked_for_viewers`.
 * @throws Error for a marked field that is not a text
 */
export function maskOf(schema: DescMessage, above: readonly string[] = []): Mask | null {
  // A recursive message has no marked fields that its outer message does not have.
  if (above.includes(schema.typeName)) return null;
  const masks = schema.fields.flatMap((field): [string, (value: unknown) => unknown][] => {
    const mask = maskOfField(field, [...above, schema.typeName]);
    return mask === null ? [] : [[field.localName, mask]];
  });
  if (masks.length === 0) return null;
  return (message) => {
    const copy = { ...message } as Record<string, unknown>;
    for (const [name, mask] of masks) if (copy[name] !== undefined) copy[name] = mask(copy[name]);
    return copy;
  };
}

function maskOfField(field: DescField, above: readonly string[]): ((value: unknown) => unknown) | null {
  if (hasOption(field, masked_for_viewers) && getOption(field, masked_for_viewers)) {
    if (field.fieldKind !== "scalar" || field.scalar !== ScalarType.STRING)
      throw new Error(`${String(field)} is masked for viewers, which only a text can be`);
    const shown = field.name.endsWith("_json") ? maskedJson : maskedText;
    // The text of an erased person is empty, and remains empty in masked form.
    return (value) => (value === "" ? "" : shown);
  }
  const inner = field.message === undefined ? null : maskOf(field.message, above);
  if (inner === null) return null;
  if (field.fieldKind === "message") return (value) => inner(value as object);
  if (field.fieldKind === "list") return (values) => (values as object[]).map(inner);
  return (values) => Object.fromEntries(Object.entries(values as object).map(([key, value]) => [key, inner(value)]));
}
