export const passwordLengthMin = 8;
export const passwordLengthMax = 256;

/**
 * The form of a password that is hashed: NFKC, so that typing it on another device results in the same bytes (NIST SP
 * 800-63B §5.1.1.2).
 */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

export type PasswordProblem = "too_short" | "too_long" | "is_address";

/** The reason to reject a new password, or null. The length is checked; composition rules do not make passwords better (NIST SP 800-63B, appendix A). */
export function passwordProblem(password: string, address: string): PasswordProblem | null {
  const length = [...password].length;
  if (length < passwordLengthMin) return "too_short";
  if (length > passwordLengthMax) return "too_long";
  const localPart = address.slice(0, address.lastIndexOf("@"));
  const lower = password.toLowerCase();
  return lower === address.toLowerCase() || lower === localPart.toLowerCase() ? "is_address" : null;
}
