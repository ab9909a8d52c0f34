/** Platform events: facts, their outbox and its relay. */
export { noticeTypes, platformEventTypes } from "../platform-events/platform-event-types.ts";
export {
  createPlatformFacts,
  type Fact,
  noticeFact,
  type PlatformFact,
  type PlatformFacts,
  platformFact,
  platformLogId,
} from "../platform-events/platform-facts.ts";
export { publishToEventsSvc, startPlatformEventRelay } from "../platform-events/relay-platform-events.ts";
export { publishAndTell, type TellContacts, tellContactsByIdentitySvc } from "../platform-events/tell-contacts.ts";
export {
  type FailingFields,
  type FailureWatch,
  failingSchema,
  indexFailing,
  watchFailing,
} from "../platform-events/watch-failing.ts";
