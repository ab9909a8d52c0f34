import { callerGuard, implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { retentionAdmin } from "@platform/operator-plane/retention";
import { usageAdmin } from "@platform/operator-plane/usage/store";
import { ContactNoticeService } from "@platform/proto/identity/v1/contact_notices";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { RequestLogService } from "@platform/proto/identity/v1/request_log";
import { UsageService } from "@platform/proto/identity/v1/usage";
import type { IdentityContext } from "../identity-context.ts";
import { accountServices } from "./admin/accounts.ts";
import { approvalAdmin } from "./admin/approvals.ts";
import { brandServices } from "./admin/brands.ts";
import { credentialUsageAdmin } from "./admin/credential-usage.ts";
import { erasureServices } from "./admin/erasures.ts";
import { memberServices } from "./admin/members.ts";
import { migrationServices } from "./admin/migrations.ts";
import { projectClientSearch } from "./admin/project-client-search.ts";
import { projectClientRpcs, quotaRpcs } from "./admin/project-clients.ts";
import { projectContactAdmin } from "./admin/project-contacts.ts";
import { projectCredentialRpcs } from "./admin/project-credentials.ts";
import { requestLogAdmin } from "./admin/request-log.ts";
import { sessionServices } from "./admin/sessions.ts";
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
import { notifyContacts } from "./notify-contacts.ts";
import { operatorAccess, operatorAccessGuard } from "./operator-access.ts";
import { approvalService } from "./operator-approvals.ts";
import { otherServices } from "./other-services.ts";
import { recordRequests } from "./record-requests.ts";
import { recordCredentialUsage, recordUsage } from "./record-usage.ts";
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
      ...projectClientRpcs(context),
      ...projectCredentialRpcs(context),
      ...quotaRpcs(context),
    }),
    projectClientSearch(context),
    implement(OperatorAccessService, operatorAccess(context), operatorAccessGuard),
    implement(IdentityMigrationService, {
      createIdentityMigrationTransaction: createIdentityMigrationTransaction(context),
      getIdentityMigrationTransaction: getIdentityMigrationTransaction(context),
      createHostedContinuation: createHostedContinuation(context),
      linkIdentityMigrationTransaction: linkIdentityMigrationTransaction(context),
      confirmIdentityMigrationLink: confirmIdentityMigrationLink(context),
      requestEmailVerification: requestEmailVerification(context),
    }),
    ...accountServices(context),
    ...memberServices(context),
    ...sessionServices(context),
    approvalAdmin(context),
    approvalService(context.secondPerson),
    ...migrationServices(context),
    ...brandServices(context),
    ...erasureServices(context),
    implement(UsageService, {
      recordUsage: recordUsage(context),
      recordCredentialUsage: recordCredentialUsage(context),
    }),
    implement(RequestLogService, { recordRequests: recordRequests(context) }),
    requestLogAdmin(context),
    projectContactAdmin(context),
    implement(ContactNoticeService, { notifyContacts: notifyContacts(context) }, callerGuard(...otherServices)),
    credentialUsageAdmin(context),
    healthHistory(context),
    usageAdmin(context.usage, context.clock),
    retentionAdmin(context.retention),
  ];
}
