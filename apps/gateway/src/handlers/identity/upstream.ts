import type { GrpcConnection } from "@platform/kit/rpc/client";
import { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { RequestLogService } from "@platform/proto/identity/v1/request_log";
import { UsageService } from "@platform/proto/identity/v1/usage";

/** Creates clients for the gRPC services of identity-svc that the gateway calls. */
export function connectIdentity(connection: GrpcConnection) {
  return {
    authentication: connection.service(AuthenticationService),
    migration: connection.service(IdentityMigrationService),
    requestLog: connection.service(RequestLogService),
    usage: connection.service(UsageService),
  };
}
