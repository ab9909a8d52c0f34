export type JsonSchema = { readonly [key: string]: unknown };

/** Largest value of a 32-bit integer, the type that some generators use for an integer without a format. */
const int32Max = 2_147_483_647;

/**
 * Converts `schema` to a form with the same meaning that the generators of all languages can read. It writes a nullable
 * inline type as `type: [T, "null"]`, a nullable component as `oneOf` of its reference and null, and a constant as an
 * `enum` of one value. It adds the format to integers beyond 32 bits, and changes references to refer to the document's
 * components.
 */
export function inCommonForm(schema: JsonSchema): JsonSchema {
  const members = Object.entries(schema).map(([key, value]) => [key, memberOf(key, value)]);
  return withFormat(withEnum(withNull(withReference(Object.fromEntries(members) as JsonSchema))));
}

/** Returns the value of a keyword with every schema in it in common form. */
function memberOf(keyword: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  switch (keyword) {
    case "properties":
      return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inCommonForm(schema)]));
    case "items":
    case "additionalProperties":
    case "propertyNames":
      return inCommonForm(value as JsonSchema);
    case "anyOf":
    case "oneOf":
    case "allOf":
      return (value as readonly JsonSchema[]).map(inCommonForm);
    default:
      return value;
  }
}

function withReference(schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== "string") return schema;
  return { ...schema, $ref: schema.$ref.replace("#/$defs/", "#/components/schemas/") };
}

function withNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...around } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const members = anyOf as readonly JsonSchema[];
  const [only, ...others] = members.filter(({ type }) => type !== "null");
  if (only === undefined || others.length > 0) return { ...around, oneOf: members };
  if (typeof only.type !== "string") return { ...around, oneOf: members };
  return { ...only, ...around, type: [only.type, "null"] };
}

function withEnum(schema: JsonSchema): JsonSchema {
  if (!Object.hasOwn(schema, "const")) return schema;
  const { const: only, ...rest } = schema;
  return { ...rest, enum: [only] };
}

function withFormat(schema: JsonSchema): JsonSchema {
  const isInteger = schema.type === "integer" || (Array.isArray(schema.type) && schema.type.includes("integer"));
  return isInteger && Number(schema.maximum) > int32Max ? { ...schema, format: "int64" } : schema;
}
