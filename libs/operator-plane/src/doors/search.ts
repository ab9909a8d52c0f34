/** Search for records by id, and limits for expensive calls. */
export { createCallerLimit, createCallerQueue } from "../search/caller-limit.ts";
export type { SearchedCollection } from "../search/record-search.ts";
