/** Platform events: facts, their outbox and its relay. What other packages may import; a module without a line here is the package's own. */
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
