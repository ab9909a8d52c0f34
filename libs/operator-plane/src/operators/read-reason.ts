import { ServiceError } from "@platform/kit/rpc/errors";

const reasonMax = 500;

/** Returns the trimmed reason; null if there is none. Throws contract_violation if it is too long. */
export function readReason(text: string | undefined): string | null {
  const reason = text?.trim() ?? "";
  if ([...reason].length > reasonMax)
    throw new ServiceError("contract_violation", `A reason has at most ${reasonMax} characters.`);
  return reason === "" ? null : reason;
}
