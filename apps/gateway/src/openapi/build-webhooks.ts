import { webhookHeaders, webhooks } from "@platform/contracts/webhooks";
import type { JsonSchema } from "./common-form.ts";
import type { ComponentSchemas } from "./component-schemas.ts";

/** The responses that the platform expects from an endpoint. */
export const webhookAnswers: Readonly<Record<string, JsonSchema>> = {
  CallHandled: { description: "Your endpoint has handled the call. Send any 2xx status within 15 seconds." },
  EndpointGone: {
    description: "The platform stops calling this endpoint until an operator enables the operation again.",
  },
  CallAgainLater: {
    description:
      "Not handled: called again later, up to the registered number of tries. After 429 and 503 no sooner than Retry-After says.",
  },
};

const refer = (answer: keyof typeof webhookAnswers): JsonSchema => ({ $ref: `#/components/responses/${answer}` });

/** Describes the calls that the platform sends, as the document's `webhooks`. */
export function describeWebhooks(schemas: ComponentSchemas): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(webhooks).map(([name, { summary, description, mediaType, body, examples }]) => [
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
            description: "Verify the signature over exactly these bytes before you parse them.",
            // The schema is written in place. Generators that omit everything without a path would otherwise omit the
            // component, too.
            content: { [mediaType]: { schema: schemas.inline(body, "output"), examples } },
          },
          responses: {
            "200": refer("CallHandled"),
            "410": refer("EndpointGone"),
            default: refer("CallAgainLater"),
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
