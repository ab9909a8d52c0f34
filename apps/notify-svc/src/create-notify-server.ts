import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { DeliveryEndpointsService, NotificationsService } from "@platform/proto/notify/v1/notify_service";
import { operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, serveGrpc } from "@platform/service-kit/grpc/serve";
import { serveHttp } from "@platform/service-kit/http/serve-http";
import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { buildIndexes, connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import { traceServed } from "@platform/service-kit/tracing/served-spans";
import type { NotifyServerConfig } from "./config.ts";
import { createDerivedTokens } from "./derived-tokens.ts";
import { adminServices } from "./grpc/admin/admin-services.ts";
import { applyCatalog } from "./grpc/admin/apply-catalog.ts";
import { createSenderProfile } from "./grpc/admin/create-sender-profile.ts";
import { linkLineEndpoint } from "./grpc/admin/link-line-endpoint.ts";
import { listSenderProfiles } from "./grpc/admin/list-sender-profiles.ts";
import { retryDelivery } from "./grpc/admin/retry-delivery.ts";
import { showCatalog } from "./grpc/admin/show-catalog.ts";
import { showDelivery } from "./grpc/admin/show-delivery.ts";
import { createChannelNotificationIntent } from "./grpc/create-channel-notification-intent.ts";
import { createNotificationIntent } from "./grpc/create-notification-intent.ts";
import { getDeliveryEndpoint } from "./grpc/get-delivery-endpoint.ts";
import { getNotificationDelivery } from "./grpc/get-notification-delivery.ts";
import { registerDeliveryEndpoint } from "./grpc/register-delivery-endpoint.ts";
import { registerEmailDeliveryEndpoint } from "./grpc/register-email-delivery-endpoint.ts";
import { revokeDeliveryEndpoint } from "./grpc/revoke-delivery-endpoint.ts";
import type { RpcDeps } from "./grpc/rpc-deps.ts";
import { setDeliveryConsent } from "./grpc/set-delivery-consent.ts";
import { verifyDeliveryEndpoint } from "./grpc/verify-delivery-endpoint.ts";
import { verifyEmailDeliveryEndpoint } from "./grpc/verify-email-delivery-endpoint.ts";
import { createUnsubscribeApp } from "./http/unsubscribe-app.ts";
import { createStores } from "./store/stores.ts";

export type NotifyServer = RunningProcess & {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly probePort: number;
};

/** Wires and starts the server: gRPC for the gateway and operators, HTTP for the unsubscribe page. */
export async function createNotifyServer(
  config: NotifyServerConfig,
  overrides: { logger?: Logger; clock?: () => Date } = {},
): Promise<NotifyServer> {
  const logger = overrides.logger ?? createLogger("notify-svc", config.logLevel);
  const metrics = createMetrics("notify-svc");
  const health = createHealth();
  const connection = await connectMongo(config.mongo);
  const stores = createStores(connection, config.keyring);
  if (config.mongo.autoIndex) await buildIndexes(connection);
  const deps: RpcDeps = {
    stores,
    tokens: createDerivedTokens(config.keyring),
    clock: overrides.clock ?? (await databaseClock(connection)),
    outboundAllow: config.providers.outboundAllow,
    hasDefaultSmtp: config.providers.smtpUrl !== null,
  };
  await checkKeyring(connection, config.keyring, { logger, health });
  health.addCheck("mongodb", () => pingMongo(connection));
  const { host, tls } = config;
  const grpc = await serveGrpc({
    host,
    port: config.grpcPort,
    tls,
    services: servicesOf(deps, config),
    logger,
    metrics,
    health,
  });
  const app = traceServed(createUnsubscribeApp({ stores, clock: deps.clock, logger }));
  const http = await serveHttp(app, { host, port: config.httpPort });
  const probes = await serveProbes({ host, port: config.serverProbePort, health, registry: metrics.registry });
  health.setServing(true);
  return {
    logger,
    grpcPort: grpc.port,
    httpPort: http.port,
    probePort: probes.port,
    stopServing: () => {
      health.setServing(false);
      http.drain();
    },
    close: async () => {
      await Promise.all([http.close(), grpc.close()]);
      await probes.close();
      await connection.close();
    },
  };
}

function servicesOf(deps: RpcDeps, config: NotifyServerConfig) {
  return [
    implement(DeliveryEndpointsService, {
      registerEmailDeliveryEndpoint: registerEmailDeliveryEndpoint(deps),
      verifyEmailDeliveryEndpoint: verifyEmailDeliveryEndpoint(deps),
      registerDeliveryEndpoint: registerDeliveryEndpoint(deps),
      verifyDeliveryEndpoint: verifyDeliveryEndpoint(deps),
      getDeliveryEndpoint: getDeliveryEndpoint(deps),
      revokeDeliveryEndpoint: revokeDeliveryEndpoint(deps),
      setDeliveryConsent: setDeliveryConsent(deps),
    }),
    implement(NotificationsService, {
      createNotificationIntent: createNotificationIntent(deps),
      createChannelNotificationIntent: createChannelNotificationIntent(deps),
      getNotificationDelivery: getNotificationDelivery(deps),
    }),
    implement(
      NotifyAdminService,
      {
        createSenderProfile: createSenderProfile(deps),
        listSenderProfiles: listSenderProfiles(deps),
        applyCatalog: applyCatalog(deps),
        showCatalog: showCatalog(deps),
        linkLineEndpoint: linkLineEndpoint(deps),
        showDelivery: showDelivery(deps),
        retryDelivery: retryDelivery(deps),
      },
      operatorGuard(config.operatorToken),
    ),
    ...adminServices(deps, operatorGuard(config.operatorToken)),
  ];
}
