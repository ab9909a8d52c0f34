/** Search of records by id, and limits of expensive calls. */
export { createCallerLimit, createCallerQueue } from "../search/caller-limit.ts";
export type { SearchedCollection } from "../search/record-search.ts";
