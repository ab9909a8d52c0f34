import type { LoggedEvent } from "./domain-event.ts";

/** Subject an event is relayed under: `domain-events.<client>.<type>`. Where dots of the type would leave a part empty, it is `_`. */
export function relaySubject({ event }: LoggedEvent): string {
  const parts = event.type.split(".").map((part) => (part === "" ? "_" : part));
  return `domain-events.${event.project_client_id}.${parts.join(".")}`;
}
