import type { CallContext, ServiceClient } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import type { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { createIdentityProvider, type IdentityProvider, type ProviderClient } from "./identity-provider.ts";

/** The groups of people that may have their own identity provider. */
export const providerNames = ["operators", "members"] as const;
export type ProviderName = (typeof providerNames)[number];

export type IdentityProviders = ReturnType<typeof createIdentityProviders>;

type Options = {
  readonly clients: Readonly<Record<ProviderName, ProviderClient>>;
  readonly baseUrl: string;
  readonly access: ServiceClient<typeof OperatorAccessService>;
  readonly context: () => CallContext;
};

/**
 * The addresses to which providers redirect the browser. Each provider has its own, so that a response of one is never
 * accepted as a response of the other (mix-up attack; RFC 9700, 4.4.2.2).
 */
export const callbackPaths: Readonly<Record<ProviderName, string>> = {
  operators: "/sign-in/callback",
  members: "/sign-in/members/callback",
};

/**
 * Creates the identity providers for signing in: that of operators, and that of members if they have a separate one.
 */
export function createIdentityProviders({ clients, baseUrl, access, context }: Options) {
  const providerOf = (name: ProviderName): IdentityProvider =>
    createIdentityProvider({
      ...clients[name],
      forMembers: name === "members",
      redirectUri: `${baseUrl}${callbackPaths[name]}`,
      signedOutUri: `${baseUrl}/signed-out`,
      access,
      context,
    });
  const providers = { operators: providerOf("operators"), members: providerOf("members") };
  const issuerOf = async (forMembers: boolean): Promise<string | null> => {
    try {
      return (await access.getOperatorSignIn({ forMembers }, { context: context(), retryUnavailable: true })).issuer;
    } catch (error) {
      if (isServiceError(error, "operator_sign_in_not_configured")) return null;
      throw error;
    }
  };
  let known: readonly ProviderName[] | null = null;
  /** @returns the providers among which a person chooses; only that of operators if members also sign in there */
  const choices = async (): Promise<readonly ProviderName[]> => {
    const [operators, members] = await Promise.all([issuerOf(false), issuerOf(true)]);
    if (members === null || members === operators) known = ["operators"];
    else known = operators === null ? ["members"] : providerNames;
    return known;
  };
  return {
    of: (name: ProviderName): IdentityProvider => providers[name],
    /**
     * The choices are read at each sign-in, so that a provider that is configured later is offered without a restart.
     */
    choices,
    /** Returns the origins to which forms for signing out may continue, once they are known. */
    origins: (): string[] => {
      if (known === null) void choices().catch(() => {});
      return (known ?? []).flatMap((name) => providers[name].origin() ?? []);
    },
  };
}
