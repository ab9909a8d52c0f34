import { signIns } from "./sign-ins.ts";
import type { LoadReports, StandIn, StandInKind } from "./stand-in.ts";
import { type ProviderBehaviour, startProvider } from "./start-provider.ts";

const secret = "a-secret-of-the-console";

const provider = (
  name: string,
  behaviour: ProviderBehaviour,
  env: Readonly<Record<string, string>>,
  canFail = false,
): StandInKind => ({
  name,
  start: async (reports: LoadReports): Promise<StandIn> => {
    const { issuer, loseKeys, restoreKeys, close } = await startProvider({ secret, ...behaviour });
    const own = {
      OPERATOR_OIDC_ISSUER: issuer,
      OPERATOR_OIDC_CLIENT_IDS: "platformctl,console",
      CONSOLE_OIDC_CLIENT_SECRET: secret,
      TRUSTED_PROXIES: "127.0.0.1/32",
    };
    return {
      env: { ...own, ...env },
      domains: [signIns(reports)],
      misbehave: async () => {
        if (canFail) await loseKeys();
      },
      ...(canFail ? { recover: async () => restoreKeys() } : {}),
      close,
    };
  },
});

/** Identity providers of operators. All except the last one misbehave from the start. */
export const providerStandIns: readonly StandInKind[] = [
  provider(
    "identity provider with nested roles",
    { claimsOf: (role) => ({ realm_access: { roles: [role, "offline_access"] } }) },
    { OPERATOR_OIDC_ROLES_CLAIM: "realm_access.roles" },
  ),
  provider("identity provider that takes the secret by POST alone", { authMethod: "client_secret_post" }, {}),
  provider("identity provider whose clock is 50 s ahead", { aheadSeconds: 50 }, {}),
  provider("identity provider with new keys that cannot be read", {}, {}, true),
];
