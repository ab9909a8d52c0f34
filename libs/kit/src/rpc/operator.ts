/** Roles of operators. They do not inherit; a person may hold several. */
export const roleNames = ["viewer", "support", "operator", "security", "root"] as const;
export type RoleName = (typeof roleNames)[number];

export const isRoleName = (text: unknown): text is RoleName => (roleNames as readonly unknown[]).includes(text);

/** The person, or the break-glass token, that calls an operator RPC. */
export type Operator = {
  /** Subject at the identity provider; `break-glass` for the token. */
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  readonly reason: string | null;
  readonly isBreakGlass: boolean;
  /** When the assertion expires, in epoch milliseconds; null for the token, which does not. */
  readonly expiresAtMs: number | null;
  /** What calls for the person, such as `mcp` for an assistant; absent where they call themselves. */
  readonly via?: string;
  /** The only Project Client that the assertion is for; absent where it is for all. */
  readonly onlyClientId?: string;
};
