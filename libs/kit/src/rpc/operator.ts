/** Roles of operators. They do not inherit; a person may hold several. */
export const roleNames = ["viewer", "support", "operator", "security", "root"] as const;
export type RoleName = (typeof roleNames)[number];

export const isRoleName = (text: unknown): text is RoleName => (roleNames as readonly unknown[]).includes(text);

/** Roles of the members of a project, the least first: each may do what those before it may. */
export const memberRoleNames = ["reader", "developer", "owner"] as const;
export type MemberRoleName = (typeof memberRoleNames)[number];

export const isMemberRoleName = (text: unknown): text is MemberRoleName =>
  (memberRoleNames as readonly unknown[]).includes(text);

/** What a person may do in a project. */
export type Membership = {
  readonly clientId: string;
  readonly role: MemberRoleName;
  /** The Project Client is disabled: its members may look but change nothing. */
  readonly isClientDisabled: boolean;
};

/** The person, or the break-glass token, that calls an operator RPC. */
export type Operator = {
  /** Subject at the identity provider; `break-glass` for the token. */
  readonly subject: string;
  readonly name: string;
  /** Roles on the platform; none for people who are only members of projects. */
  readonly roles: readonly RoleName[];
  /** The projects that the person is a member of. */
  readonly memberships: readonly Membership[];
  readonly reason: string | null;
  readonly isBreakGlass: boolean;
  /** The session that the assertion was issued in; null for the token. */
  readonly sessionId: string | null;
  /** When the person proved who they are, in epoch milliseconds; null for the token, and where an assertion of the version before does not say. */
  readonly signedInAtMs: number | null;
  /** When the assertion expires, in epoch milliseconds; null for the token, which does not. */
  readonly expiresAtMs: number | null;
  /** What calls for the person, such as `mcp` for an assistant; absent where they call themselves. */
  readonly via?: string;
  /** The only Project Client that the assertion is for; absent where it is for all. */
  readonly onlyClientId?: string;
};
