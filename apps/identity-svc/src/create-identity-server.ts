import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { createAssertionSigner } from "@platform/operator-plane/operators/assertions";
import { startPlatformService } from "@platform/operator-plane/service";
import { createQuota } from "@platform/quota/quota";
import type { ServerConfig } from "./config.ts";
import { createCredentialUses } from "./credential-uses.ts";
import { identityServices } from "./grpc/services.ts";
import { createHostedApp } from "./http/create-hosted-app.ts";
import type { IdentityContext } from "./identity-context.ts";
import { createIdentityMetrics } from "./identity-metrics.ts";
import { createApprovals } from "./operations/operator-approvals.ts";
import { findOpenSession } from "./operations/operator-sessions.ts";
import { createPasswords } from "./operations/passwords.ts";
import { createProviderCheck } from "./operations/provider-check.ts";
import { createSignInProviders } from "./operations/sign-in-providers.ts";
import { createAnnounceChange } from "./redis/announce-changes.ts";
import { createStores } from "./store/create-stores.ts";
import { resourceOwners } from "./store/resource-owners.ts";
import { searchedCollections } from "./store/searched-collections.ts";

/** Starts identity-svc's server: gRPC and the hosted pages. */
export const createIdentityServer = (config: ServerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "identity-svc",
    config,
    overrides,
    openStores: createStores,
    searched: searchedCollections,
    owners: resourceOwners,
    wire: async ({ stores, logger, metrics, health, clock, closing, connectRedis, onClose }) => {
      const redis = connectRedis();
      const assertions = await createAssertionSigner(config.keyring);
      const { operatorSignIn, memberSignIn } = config;
      if (operatorSignIn !== null) health.addCheck("identity-provider", createProviderCheck(operatorSignIn.issuer));
      if (memberSignIn !== null) health.addCheck("member-identity-provider", createProviderCheck(memberSignIn.issuer));
      const credentialUses = createCredentialUses(stores.credentials.noteUses, logger);
      onClose(credentialUses.close);
      const context: IdentityContext = {
        ...stores,
        quota: createQuota(redis),
        quotaDefaults: config.quotaDefaults,
        credentialUses,
        passwords: await createPasswords(),
        keyring: config.keyring,
        recentAuthenticationSeconds: config.recentAuthenticationSeconds,
        publicBaseUrl: config.publicBaseUrl,
        platformBrand: config.platformBrand,
        metrics: createIdentityMetrics(metrics.registry),
        announceChange: createAnnounceChange(redis, logger),
        assertions,
        secondPerson: createApprovals({ ...stores, clock }),
        signIn: createSignInProviders(operatorSignIn, memberSignIn, logger),
        closing,
        clock,
      };
      return {
        grpc: identityServices(context),
        operatorKeys: async () => assertions.keys,
        findSession: (sessionId) => findOpenSession(context, sessionId),
        approvals: context.secondPerson,
        clientExists: async (clientId) => (await context.clients.find(clientId)) !== null,
        http: { listener: createHostedApp(context, logger) },
      };
    },
  });
