/** Platform events: facts, their outbox and its relay. */
export { platformEventTypes } from "../platform-events/platform-event-types.ts";
export {
  createPlatformFacts,
  type Fact,
  type PlatformFact,
  type PlatformFacts,
  platformFact,
  platformLogId,
} from "../platform-events/platform-facts.ts";
export { publishToEventsSvc, startPlatformEventRelay } from "../platform-events/relay-platform-events.ts";
