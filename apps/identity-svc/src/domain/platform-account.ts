/** An address a person signs in with. */
export type LoginIdentifier = {
  /** The address in normalized form. */
  readonly email: string;
  /**
   * Time at which an emailed code or link (or an operator) last verified the address; null if it was never verified.
   */
  readonly verified_at: Date | null;
};

/** A person's account. Its password hash stays in the store. */
export type PlatformAccount = {
  readonly id: string;
  readonly login_identifiers: readonly LoginIdentifier[];
  readonly created_at: Date;
  /** Time at which an account without a verified address is deleted. Null once it has a Login Identifier. */
  readonly unproven_until: Date | null;
  /** Authentications before this time are invalid, because the password was replaced. Null if it never was. */
  readonly sessions_ended_at: Date | null;
  /** Time at which an operator disabled sign-in; null while sign-in is enabled. */
  readonly disabled_at: Date | null;
};

/** How long a registration may stay without a verified address, in seconds. */
export const unprovenAccountSeconds = 24 * 60 * 60;

/** Returns whether the account is a registration without a verified address. */
export function isRegistering(account: PlatformAccount): boolean {
  return account.login_identifiers.length === 0;
}

/** Returns whether the account signs in with this address. `email` is normalized. */
export function ownsEmail(account: PlatformAccount, email: string): boolean {
  return account.login_identifiers.some((identifier) => identifier.email === email);
}

/** True if the account has an address that was verified after `since`. Earlier evidence does not count, because mailboxes change owners. */
export function hasEmailVerifiedAfter(account: PlatformAccount, since: Date): boolean {
  return account.login_identifiers.some(({ verified_at }) => verified_at !== null && verified_at > since);
}
