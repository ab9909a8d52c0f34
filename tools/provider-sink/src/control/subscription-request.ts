import * as z from "zod";

/** Body of `POST /web-push/subscriptions`: the option of `PushManager.subscribe`, as base64url of the raw key. */
export const subscriptionRequestSchema = z.strictObject({
  applicationServerKey: z
    .string()
    .regex(/^[A-Za-z0-9_-]{87}$/, "must be an uncompressed P-256 key in base64url")
    .optional(),
});
