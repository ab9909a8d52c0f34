import type { LoggedEvent } from "./domain-event.ts";

/** Subject under which an event is relayed: `domain-events.<client>.<type>`. If dots of the type would leave a part empty, that part is `_`. */
export function relaySubject({ event }: LoggedEvent): string {
  const parts = event.type.split(".").map((part) => (part === "" ? "_" : part));
  return `domain-events.${event.project_client_id}.${parts.join(".")}`;
}
