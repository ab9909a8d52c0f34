import type { Violation } from "@platform/contracts/violations";
import { ServiceError } from "@platform/service-kit/errors/service-error";

/** The error of a request that violates the contract, naming every place. */
export function contractViolation(violations: readonly Violation[]): ServiceError {
  const first = violations[0];
  const place = first === undefined ? "" : `: ${first.path} ${first.message}`;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more, see details.violations)` : "";
  return new ServiceError("contract_violation", `The request violates the contract${place}${more}.`, {
    details: { violations },
  });
}
