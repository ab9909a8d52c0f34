/** Roles of operators. No role includes another; a person may have several. */
export const roleNames = ["viewer", "support", "operator", "security", "root"] as const;
export type RoleName = (typeof roleNames)[number];

export const isRoleName = (text: unknown): text is RoleName => (roleNames as readonly unknown[]).includes(text);

/** Metadata entry with the id of the approval, for a call that requires one. */
export const approvalHeader = "x-operator-approval";

/** Roles of the members of a project in ascending order. Each role includes the permissions of those before it. */
export const memberRoleNames = ["reader", "developer", "owner"] as const;
export type MemberRoleName = (typeof memberRoleNames)[number];

export const isMemberRoleName = (text: unknown): text is MemberRoleName =>
  (memberRoleNames as readonly unknown[]).includes(text);

/** The role and state of a person's membership in a project. */
export type Membership = {
  readonly clientId: string;
  readonly role: MemberRoleName;
  /** True if the Project Client is disabled. Its members may then read, but not change anything. */
  readonly isClientDisabled: boolean;
};

/** The person who calls an operator RPC, or the break-glass token. */
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
  /**
   * Time at which the person signed in, in epoch milliseconds. Null for the token, and for assertions of the previous
   * version, which do not contain the time.
   */
  readonly signedInAtMs: number | null;
  /** Expiry of the assertion, in epoch milliseconds; null for the token, which does not expire. */
  readonly expiresAtMs: number | null;
  /**
   * The agent that calls on behalf of the person, such as `mcp` for an assistant; absent if the person calls directly.
   */
  readonly via?: string;
  /** The only Project Client for which the assertion is valid; absent if it is valid for all. */
  readonly onlyClientId?: string;
};
