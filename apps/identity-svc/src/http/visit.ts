import { tokenMatches } from "@platform/kit/process/secrets";
import type { Request } from "express";
import type { ShownBrand } from "../domain/brand.ts";
import type { HostedContinuation } from "../domain/hosted-continuation.ts";
import { type HostedStep, nextStep } from "../domain/hosted-step.ts";
import {
  hasEvidenceOf,
  type IdentityMigrationTransaction,
  statusOf,
  type TransactionStatus,
} from "../domain/identity-migration-transaction.ts";
import type { Language } from "../domain/page-language.ts";
import { hasEmailVerifiedAfter, type PlatformAccount } from "../domain/platform-account.ts";
import { isRecentlyAuthenticated, type PlatformSession } from "../domain/platform-session.ts";
import type { ProjectClient } from "../domain/project-client.ts";
import { returnLocation } from "../domain/return-uri.ts";
import type { IdentityContext } from "../identity-context.ts";
import { findUsableSession, readSessionToken } from "../operations/open-session.ts";
import { settleProvenEmail } from "../operations/prove-email.ts";
import { pageLanguage } from "./chosen-language.ts";
import type { HostedCookies } from "./cookies.ts";
import { formToken } from "./form-token.ts";
import { PageProblem, projectUnavailable } from "./page-problem.ts";

/** One request of the browser to which a continuation is bound. */
export type Visit = {
  readonly continuation: HostedContinuation;
  readonly transaction: IdentityMigrationTransaction;
  /** The project, with the name of its brand if it has one. */
  readonly project: ProjectClient;
  readonly brand: ShownBrand;
  readonly session: PlatformSession | null;
  readonly account: PlatformAccount | null;
  readonly step: HostedStep;
  readonly language: Language;
  readonly formToken: string;
};

/** Dependencies of the hosted pages. */
export type HostedPages = { readonly context: IdentityContext; readonly cookies: HostedCookies };

/** The continuation that this browser is bound to, and the secret that proves it. Null if there is none that it may use. */
export async function findBoundContinuation(
  { context, cookies }: HostedPages,
  request: Request,
): Promise<{ continuation: HostedContinuation; browserSecret: string } | null> {
  const match = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/.exec(cookies.read(request, "platform_continuation") ?? "");
  const [, id, browserSecret] = match ?? [];
  if (id === undefined || browserSecret === undefined) return null;
  const continuation = await context.continuations.find(id);
  if (continuation === null || continuation.browser_sha256 === null || continuation.flow_expires_at === null)
    return null;
  if (!tokenMatches(browserSecret, continuation.browser_sha256)) return null;
  return continuation.flow_expires_at <= context.clock() ? null : { continuation, browserSecret };
}

/**
 * Reads the session of this browser and determines its step.
 * @throws PageProblem no_flow without a bound continuation; cancelled, waiting, linked, transaction_expired,
 * linked_elsewhere if there is no next step
 */
export async function loadVisit(pages: HostedPages, request: Request): Promise<Visit> {
  const visit = await readVisit(pages, request);
  const { step, project } = visit;
  const { outcome } = visit.continuation;
  if (outcome !== null) {
    const way = { href: returnAddress(visit, outcome), project: project.name };
    const ending = endingOf(outcome, statusOf(visit.transaction, pages.context.clock()));
    throw ending === "transaction_expired" ? new PageProblem(ending, 422, way) : new PageProblem(ending, 200, way);
  }
  if (step === "expired") throw new PageProblem("transaction_expired");
  if (step === "linked-elsewhere") throw new PageProblem("linked_elsewhere");
  return visit;
}

/** The outcome of a continuation that ended. The accounts are linked once the project has confirmed, and never if it did not confirm in time. */
function endingOf(
  outcome: NonNullable<HostedContinuation["outcome"]>,
  status: TransactionStatus,
): "cancelled" | "waiting" | "linked" | "transaction_expired" {
  if (outcome === "cancelled") return "cancelled";
  if (status === "completed") return "linked";
  return status === "expired" ? "transaction_expired" : "waiting";
}

/** The address at which the project takes over after a continuation: its return_uri with the outcome. */
export function returnAddress(
  { continuation, transaction }: Pick<Visit, "continuation" | "transaction">,
  outcome: NonNullable<HostedContinuation["outcome"]>,
): string {
  return returnLocation(continuation.return_uri, {
    transactionId: transaction.id,
    state: continuation.state,
    status: outcome === "linked" ? "link_pending" : "cancelled",
  });
}

/**
 * Reads the browser's continuation and session, in whichever state the continuation is.
 * @throws PageProblem no_flow without a bound continuation, project_unavailable if the Project Client is disabled
 */
export async function readVisit(pages: HostedPages, request: Request): Promise<Visit> {
  const { context } = pages;
  const bound = await findBoundContinuation(pages, request);
  if (bound === null) throw new PageProblem("no_flow");
  const { continuation, browserSecret } = bound;
  const transaction = await context.transactions.find(continuation.project_client_id, continuation.transaction_id);
  const client = await context.clients.find(continuation.project_client_id);
  if (transaction === null || client === null) throw new PageProblem("no_flow");
  if (client.disabled_at !== null) throw projectUnavailable();
  const brand = await context.brands.find(client.id);
  const presented = await findVisitorsSession(pages, request);
  const account = presented === null ? null : await settleProvenEmail(context, transaction, presented.account_id);
  // A registration whose account was deleted, or whose address another account verified first, counts as signed out.
  const session = account === null ? null : presented;
  return {
    continuation,
    transaction,
    project: brand === null ? client : { ...client, name: brand.name },
    brand: brand ?? context.platformBrand,
    session,
    account,
    step: stepOf(context, transaction, session, account),
    language: pageLanguage(pages.cookies, request, transaction.locale),
    formToken: formToken(context.keyring.current, browserSecret),
  };
}

/** The session of this browser's cookie, if it can still be used. */
export async function findVisitorsSession(
  { context, cookies }: HostedPages,
  request: Request,
): Promise<PlatformSession | null> {
  const token = readSessionToken(cookies.read(request, "platform_session") ?? "");
  return token === null ? null : findUsableSession(context, token.id, token.secretSha256);
}

/** Returns the step that the session's account has reached. */
export function stepOf(
  context: IdentityContext,
  transaction: IdentityMigrationTransaction,
  session: Pick<PlatformSession, "account_id" | "authenticated_at"> | null,
  account: PlatformAccount | null,
): HostedStep {
  const now = context.clock();
  return nextStep({
    status: statusOf(transaction, now),
    linkedAccountId: transaction.account_id,
    session:
      session === null
        ? null
        : {
            accountId: session.account_id,
            isRecent: isRecentlyAuthenticated(session, now, context.recentAuthenticationSeconds),
          },
    isEmailProven:
      account !== null &&
      (hasEvidenceOf(transaction, account.id) || hasEmailVerifiedAfter(account, transaction.created_at)),
  });
}
