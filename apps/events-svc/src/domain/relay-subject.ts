import type { LoggedEvent } from "./domain-event.ts";

/**
 * The subject under which an event is relayed: `domain-events.<client>.<type>`. A part that would be empty, because
 * of the dots in the type, is replaced by `_`.
 */
export function relaySubject({ event }: LoggedEvent): string {
  const parts = event.type.split(".").map((part) => (part === "" ? "_" : part));
  return `domain-events.${event.project_client_id}.${parts.join(".")}`;
}
