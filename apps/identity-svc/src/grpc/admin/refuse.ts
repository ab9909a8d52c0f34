import { ServiceError } from "@platform/kit/rpc/errors";
import { invalidRequest } from "@platform/operator-plane/operators";

export function projectClientNotFound(): ServiceError {
  return new ServiceError("project_client_not_found", "There is no such Project Client.");
}

export function accountNotFound(): ServiceError {
  return new ServiceError("platform_account_not_found", "There is no such Platform Account.");
}

/**
 * Rejects text that is empty, contains control characters (a name becomes an email's subject) or is longer than `max`
 * code points.
 */
export function requireText(path: string, text: string, max: number): string {
  if (text.trim() === "") throw invalidRequest(path, "must not be empty");
  if (/\p{Cc}/u.test(text)) throw invalidRequest(path, "must not have control characters");
  if ([...text].length > max) throw invalidRequest(path, `must have at most ${max} characters`);
  return text;
}
