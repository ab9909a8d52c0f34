import { Schema } from "mongoose";

/**
 * The schema type of a value that mongoose stores unchanged. The cast is needed because mongoose types `Mixed` as
 * `any`, which the schema of a typed document does not accept.
 */
export const mixed = Schema.Types.Mixed as never;
