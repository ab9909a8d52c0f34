/** The response of a target that ended a subscription or disabled a scheduled operation. */
export type StatusReason = {
  readonly status_code: number;
  readonly at: Date;
  /** The start of the response's body, at most 200 characters; empty if it had none. */
  readonly body_start: string;
};

const bodyStartMax = 200;

/** @param response the part of the response's body that was read, or null if it had none */
export function statusReason(statusCode: number, at: Date, response: string | null): StatusReason {
  return { status_code: statusCode, at, body_start: [...(response ?? "")].slice(0, bodyStartMax).join("") };
}
