import { z } from "zod";

export type JsonSchema = { readonly [key: string]: unknown };

/** Collects the schemas of a document under names of their own, each written once however often it is used. */
export type ComponentSchemas = {
  /** A reference to the component of `schema`, named by its title, else by `fallback`. `io`: as the caller sends it, or as it is answered. */
  refer(schema: z.ZodType, fallback: string, io: "input" | "output"): JsonSchema;
  /** The components so far, by name. */
  readonly components: Readonly<Record<string, JsonSchema>>;
};

/** The JSON Schema (draft 2020-12, which OpenAPI 3.1 uses) of `schema`. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema }) {
      // zod closes every object it answers; here only those the contract closes are, so that a new property breaks no client.
      const { def } = zodSchema._zod;
      if (def.type === "object" && def.catchall === undefined) delete jsonSchema.additionalProperties;
    },
  });
  // Through JSON, so that the document holds what its text will: plain data, and nothing zod keeps beside it.
  return JSON.parse(JSON.stringify(jsonSchema));
}

export function collectComponentSchemas(): ComponentSchemas {
  const names = new Map<z.ZodType, string>();
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    refer(schema, fallback, io) {
      let name = names.get(schema);
      if (name === undefined) {
        name = schema.meta()?.title?.replaceAll(" ", "") ?? fallback;
        if (Object.hasOwn(components, name)) throw new Error(`Two schemas are named ${name}`);
        names.set(schema, name);
        components[name] = jsonSchemaOf(schema, io);
      }
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}
