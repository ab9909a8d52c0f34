import { Schema } from "mongoose";

/**
 * The schema type of a value that mongoose stores as it is. The cast is needed because mongoose takes `Mixed` for a field of type `any`, which it does not
 * accept in the schema of a document whose field has a type.
 */
export const mixed = Schema.Types.Mixed as never;
