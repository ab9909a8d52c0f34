import { implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { usageAdmin } from "@platform/operator-plane/usage/store";
import { AccountAdminService, ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { UsageService } from "@platform/proto/identity/v1/usage";
import type { IdentityContext } from "../identity-context.ts";
import { accountServices } from "./admin/accounts.ts";
import { createAccount } from "./admin/create-account.ts";
import { createProjectClient } from "./admin/create-project-client.ts";
import { createSession } from "./admin/create-session.ts";
import { disableProjectClient } from "./admin/disable-project-client.ts";
import { enableProjectClient } from "./admin/enable-project-client.ts";
import { erasureServices } from "./admin/erasures.ts";
import { issueProjectCredential } from "./admin/issue-project-credential.ts";
import { listProjectClients } from "./admin/list-project-clients.ts";
import { listProjectCredentials } from "./admin/list-project-credentials.ts";
import { listSessions } from "./admin/list-sessions.ts";
import { migrationServices } from "./admin/migrations.ts";
import { revokeProjectCredential } from "./admin/revoke-project-credential.ts";
import { revokeSession } from "./admin/revoke-session.ts";
import { rotateProjectCredential } from "./admin/rotate-project-credential.ts";
import { setQuota } from "./admin/set-quota.ts";
import { showAccount } from "./admin/show-account.ts";
import { showProjectClient } from "./admin/show-project-client.ts";
import { showQuotas } from "./admin/show-quotas.ts";
import { updateProjectClient } from "./admin/update-project-client.ts";
import { authenticatePlatformSession } from "./authenticate-platform-session.ts";
import { authenticateProjectCredential } from "./authenticate-project-credential.ts";
import { authenticationGuard } from "./authentication-guard.ts";
import { checkProjectClient } from "./check-project-client.ts";
import { confirmIdentityMigrationLink } from "./confirm-identity-migration-link.ts";
import { createHostedContinuation } from "./create-hosted-continuation.ts";
import { createIdentityMigrationTransaction } from "./create-identity-migration-transaction.ts";
import { getIdentityMigrationTransaction } from "./get-identity-migration-transaction.ts";
import { getProjectClient } from "./get-project-client.ts";
import { healthHistory } from "./health-history.ts";
import { linkIdentityMigrationTransaction } from "./link-identity-migration-transaction.ts";
import { listDisabledProjectClients, listPlatformEventClients } from "./list-disabled-project-clients.ts";
import { operatorAccess, operatorAccessGuard } from "./operator-access.ts";
import { recordUsage } from "./record-usage.ts";
import { requestEmailVerification } from "./request-email-verification.ts";

/** Every gRPC service of identity-svc. */
export function identityServices(context: IdentityContext): ServedService[] {
  return [
    implement(
      AuthenticationService,
      {
        authenticateProjectCredential: authenticateProjectCredential(context),
        authenticatePlatformSession: authenticatePlatformSession(context),
        getProjectClient: getProjectClient(context),
        listDisabledProjectClients: listDisabledProjectClients(context),
        checkProjectClient: checkProjectClient(context),
        listPlatformEventClients: listPlatformEventClients(context),
      },
      authenticationGuard,
    ),
    implementForOperators(ProjectClientAdminService, {
      createProjectClient: createProjectClient(context),
      listProjectClients: listProjectClients(context),
      showProjectClient: showProjectClient(context),
      updateProjectClient: updateProjectClient(context),
      disableProjectClient: disableProjectClient(context),
      enableProjectClient: enableProjectClient(context),
      issueProjectCredential: issueProjectCredential(context),
      rotateProjectCredential: rotateProjectCredential(context),
      revokeProjectCredential: revokeProjectCredential(context),
      listProjectCredentials: listProjectCredentials(context),
      setQuota: setQuota(context),
      showQuotas: showQuotas(context),
    }),
    implement(OperatorAccessService, operatorAccess(context), operatorAccessGuard),
    implement(IdentityMigrationService, {
      createIdentityMigrationTransaction: createIdentityMigrationTransaction(context),
      getIdentityMigrationTransaction: getIdentityMigrationTransaction(context),
      createHostedContinuation: createHostedContinuation(context),
      linkIdentityMigrationTransaction: linkIdentityMigrationTransaction(context),
      confirmIdentityMigrationLink: confirmIdentityMigrationLink(context),
      requestEmailVerification: requestEmailVerification(context),
    }),
    implementForOperators(AccountAdminService, {
      createAccount: createAccount(context),
      showAccount: showAccount(context),
      createSession: createSession(context),
      listSessions: listSessions(context),
      revokeSession: revokeSession(context),
    }),
    ...accountServices(context),
    ...migrationServices(context),
    ...erasureServices(context),
    implement(UsageService, {
      recordUsage: recordUsage(context),
    }),
    healthHistory(context),
    usageAdmin(context.usage, context.clock),
  ];
}
