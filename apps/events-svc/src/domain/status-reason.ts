/** The response of a target that ended a subscription or disabled a scheduled operation. */
export type StatusReason = {
  readonly status_code: number;
  readonly at: Date;
  /** How the body of the response begins, at most 200 characters; empty where it had none. */
  readonly body_start: string;
};

const bodyStartMax = 200;

/** @param response the part of the response's body that was read; null where it had none */
export function statusReason(statusCode: number, at: Date, response: string | null): StatusReason {
  return { status_code: statusCode, at, body_start: [...(response ?? "")].slice(0, bodyStartMax).join("") };
}
