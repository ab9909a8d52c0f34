/** Search of records by id, and limits of expensive calls. What other packages may import; a module without a line here is the package's own. */
export { createCallerLimit, createCallerQueue } from "../search/caller-limit.ts";
export type { SearchedCollection } from "../search/record-search.ts";
