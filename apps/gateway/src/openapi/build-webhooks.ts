import { webhookHeaders, webhooks } from "@platform/contracts/webhooks";
import type { JsonSchema } from "./common-form.ts";
import type { ComponentSchemas } from "./component-schemas.ts";

/** The calls the platform makes, as the document's `webhooks`. */
export function describeWebhooks(schemas: ComponentSchemas): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(webhooks).map(([name, { summary, description, mediaType, body, example }]) => [
      name,
      {
        post: {
          operationId: `webhooks.${name}`,
          tags: ["webhooks"],
          summary,
          description,
          security: [],
          parameters: headers(schemas),
          requestBody: {
            required: true,
            description: "Verify the signature over these very bytes before reading them.",
            content: { [mediaType]: { schema: schemas.refer(body, name, "output"), example } },
          },
          responses: {
            "2XX": { description: "Done. Answered within 15 seconds." },
            "410": { description: "Gone: the platform stops calling until an operator enables it again." },
            "429": { description: "Too many; called again after Retry-After, like 503." },
            default: { description: "Called again later, up to the registered number of tries." },
          },
        },
      },
    ]),
  );
}

const exampleHeaders: Readonly<Record<keyof typeof webhookHeaders, string>> = {
  "webhook-id": "01890a5d-aca1-757a-a3d2-91be5f702dca",
  "webhook-timestamp": "1782865800",
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
};

function headers(schemas: ComponentSchemas): JsonSchema[] {
  return Object.entries(webhookHeaders).map(([name, schema]) => {
    const { description, ...rest } = schemas.inline(schema, "input");
    const example = exampleHeaders[name as keyof typeof webhookHeaders];
    return { name, in: "header", required: true, description, schema: rest, example };
  });
}
