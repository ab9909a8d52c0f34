import { z } from "zod";
import { inCommonForm, type JsonSchema } from "./common-form.ts";

/** Collects the schemas of a document by name. Each schema is written once. */
export type ComponentSchemas = {
  /**
   * Returns a reference to the component of `schema`, which is named by its id, otherwise `fallback`. `io` selects the
   * form of a request or of a response.
   */
  refer(schema: z.ZodType, fallback: string, io: "input" | "output"): JsonSchema;
  /** Returns the JSON Schema of `schema` itself; inner schemas with an id become components. */
  inline(schema: z.ZodType, io: "input" | "output"): JsonSchema;
  /** The components that were collected so far, by name. */
  readonly components: Readonly<Record<string, JsonSchema>>;
};

type Converted = { readonly schema: JsonSchema; readonly named: Readonly<Record<string, JsonSchema>> };

/** Converts `schema` and the schemas with an id in it to JSON Schema (draft 2020-12, which OpenAPI 3.1 uses). */
function convert(schema: z.ZodType, io: "input" | "output"): Converted {
  const propertyValues: z.ZodType[] = [];
  const {
    $schema: _dialect,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema }) {
      // zod closes every object. Here, only the objects that the contract closes remain closed, so that a new property
      // does not break clients.
      if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
        delete jsonSchema.additionalProperties;
      // In an object whose keys the caller chooses, zod does not know the type of the values, but the schema's metadata
      // contains it.
      const values = z.globalRegistry.get(zodSchema)?.propertyValues;
      if (!(values instanceof z.ZodType)) return;
      delete jsonSchema.propertyValues;
      if (jsonSchema.$ref !== undefined) return;
      propertyValues.push(values);
      jsonSchema.additionalProperties = { $ref: `#/$defs/${idOf(values)}` };
    },
  });
  // The schema is copied through JSON, so that the document is plain data without zod's own properties.
  const plain = (value: object): JsonSchema => inCommonForm(JSON.parse(JSON.stringify(value)));
  const named = Object.fromEntries(Object.entries($defs).map(([name, found]) => [name, plain(found)]));
  for (const values of propertyValues) Object.assign(named, convert(values, io).named);
  return { schema: plain(root), named };
}

function idOf(schema: z.ZodType): string {
  const { id } = schema.meta() ?? {};
  if (id === undefined) throw new Error("A schema of property values needs an id");
  return id;
}

export function collectComponentSchemas(): ComponentSchemas {
  const components: Record<string, JsonSchema> = {};
  const add = (name: string, schema: JsonSchema): void => {
    const known = components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas are named ${name}`);
    }
    components[name] = schema;
  };
  const inline = (schema: z.ZodType, io: "input" | "output"): JsonSchema => {
    const converted = convert(schema, io);
    for (const [name, found] of Object.entries(converted.named)) add(name, found);
    return converted.schema;
  };
  const fallbacks = new Map<z.ZodType, string>();
  return {
    components,
    inline,
    refer(schema, fallback, io) {
      const known = fallbacks.get(schema);
      const json = inline(schema, io);
      if (schema.meta()?.id !== undefined) return json;
      const name = known ?? fallback;
      fallbacks.set(schema, name);
      add(name, json);
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}
