import type { BodyOf, Operation } from "@platform/contracts/operation";
import type { operations } from "@platform/contracts/operations";
import { catalogDigest } from "./handlers/notify/catalog-digest.ts";

type Body<Id extends keyof typeof operations> = BodyOf<(typeof operations)[Id]>;

/**
 * Expensive processing of the bodies of some operations that needs no service. It runs where the body is validated,
 * which is a thread for a large body. Its result must be small and cloneable, and replaces the body that the handler
 * receives. Every operation whose body contains JSON of the caller must have an entry, because numbers with the
 * caller's own digits cannot be cloned.
 */
export const preparedBodies = {
  "edge.noop": ({ money }: Body<"edge.noop">) => ({ money }),
  "events.publishDomainEvent": ({ data, ...rest }: Body<"events.publishDomainEvent">) => ({
    ...rest,
    dataJson: JSON.stringify(data),
  }),
  "notify.validateNotificationCatalog": ({ entries }: Body<"notify.validateNotificationCatalog">) => ({
    digest: catalogDigest(entries),
    entries: entries.map(({ event_key, template_key, channel, purpose, locale, sender_profile }) => ({
      eventKey: event_key,
      templateKey: template_key,
      channel,
      purpose,
      locale,
      senderProfile: sender_profile,
    })),
  }),
} satisfies { readonly [Id in keyof typeof operations]?: (body: Body<Id>) => object };

/** Type of the body that the handler of an operation receives. */
export type PreparedBodyOf<Id, O extends Operation> = Id extends keyof typeof preparedBodies
  ? ReturnType<(typeof preparedBodies)[Id]>
  : BodyOf<O>;

/** Prepares a validated body for the operation's handler. */
export function prepareBody(operationId: string, body: unknown): unknown {
  const prepare = (preparedBodies as Readonly<Record<string, (body: never) => object>>)[operationId];
  // The pipeline has validated the body by the schema of this operation. TypeScript cannot know its type, because the
  // id is a variable.
  return prepare === undefined ? body : prepare(body as never);
}
