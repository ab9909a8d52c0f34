import { defined } from "@platform/kit/process/fields";
import { hashToken, isUuid } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { acceptedLanguage } from "@platform/kit/web/http";
import type { DisabledClients } from "@platform/operator-plane/clients";
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import type { Delivery } from "../domain/delivery.ts";
import { type DeliveryEndpoint, setConsent } from "../domain/endpoint.ts";
import type { ChangeCause } from "../domain/endpoint-history.ts";
import { askToResubscribe, confirmResubscription, purposeOfLink } from "../domain/resubscription.ts";
import type { Stores } from "../store/stores.ts";
import { type PageLocale, type PageState, pageSecurityPolicy, unsubscribePage } from "./unsubscribe-page.ts";

type UnsubscribeDeps = {
  readonly stores: Pick<Stores, "deliveries" | "endpoints">;
  readonly tokens: { readonly resubscribeHash: (endpointId: string, generation: number) => string };
  readonly disabledClients: Pick<DisabledClients, "has">;
  readonly clock: () => Date;
  readonly logger: Logger;
};

/**
 * Serves one-click unsubscribe (RFC 8058). Only POST changes anything, because mail scanners follow links and must
 * not unsubscribe anyone. GET shows a page with a button that posts. The token in the link is the only permission
 * that is needed; no cookie is read. A person who wants to receive the emails again gets a new link by email, because
 * the old email may have been forwarded to somebody else.
 */
export function createUnsubscribeApp({ stores, tokens, disabledClients, clock, logger }: UnsubscribeDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");

  const findDelivery = async (request: Request): Promise<(Delivery & { readonly purpose: string }) | null> => {
    const token = tokenOf(request);
    if (token === null) return null;
    const delivery = await stores.deliveries.findByUnsubscribeToken(hashToken(token));
    return delivery === null || delivery.purpose === null ? null : { ...delivery, purpose: delivery.purpose };
  };

  app.post("/api/v1/unsubscribe/:token/resubscribe", async (request, response) => {
    request.resume();
    const delivery = await findDelivery(request);
    if (delivery !== null) {
      const { projectClientId, endpointId, purpose, senderProfileId } = delivery;
      const asked = { purpose, senderProfileId, locale: localeOf(request) };
      const now = clock();
      await stores.endpoints.change(
        projectClientId,
        endpointId,
        (current) =>
          askToResubscribe(current, asked, (generation) => tokens.resubscribeHash(endpointId, generation), now),
        byOwner(request, delivery.id),
        now,
      );
    }
    // The response is always the same, so that it does not reveal whether the link, the address or the consent exist.
    answer(request, response, 200, "mailed");
  });

  const findConfirmation = async (request: Request) => {
    const token = tokenOf(request);
    if (token === null) return null;
    const tokenHash = hashToken(token);
    const endpoint = await stores.endpoints.findByResubscribeToken(tokenHash);
    const purpose = endpoint === null ? null : purposeOfLink(endpoint, tokenHash, clock());
    return endpoint === null || purpose === null ? null : { endpoint, purpose, tokenHash };
  };
  app
    .route("/api/v1/unsubscribe/confirm/:token")
    .get(async (request, response) => {
      const confirmation = await findConfirmation(request);
      if (confirmation === null) return answer(request, response, 404, "unknown");
      if (disabledClients.has(confirmation.endpoint.projectClientId))
        return answer(request, response, 403, "unavailable");
      answer(request, response, 200, "confirm", confirmation);
    })
    .post(async (request, response) => {
      request.resume();
      const confirmation = await findConfirmation(request);
      if (confirmation === null) return answer(request, response, 404, "unknown");
      const { endpoint, tokenHash } = confirmation;
      if (disabledClients.has(endpoint.projectClientId)) return answer(request, response, 403, "unavailable");
      const now = clock();
      const confirm = (current: DeliveryEndpoint) => confirmResubscription(current, tokenHash, now);
      const changed = await stores.endpoints.change(
        endpoint.projectClientId,
        endpoint.id,
        confirm,
        byOwner(request),
        now,
      );
      const isRefused = changed === null || changed.failure !== null;
      answer(request, response, isRefused ? 404 : 200, isRefused ? "unknown" : "confirmed", confirmation);
    })
    .all(refuseMethod);
  app
    .route("/api/v1/unsubscribe/:token")
    .get(async (request, response) => {
      const delivery = await findDelivery(request);
      if (delivery === null) return answer(request, response, 404, "unknown");
      const endpoint = await stores.endpoints.find(delivery.projectClientId, delivery.endpointId);
      const isDone = endpoint?.withdrawnPurposes.includes(delivery.purpose) === true;
      answer(request, response, 200, isDone ? "done" : "ask", delivery);
    })
    .post(async (request, response) => {
      // The method and the link are sufficient, so the body is not read.
      request.resume();
      const delivery = await findDelivery(request);
      if (delivery === null) return answer(request, response, 404, "unknown");
      const { projectClientId, endpointId, purpose } = delivery;
      const changed = await stores.endpoints.change(
        projectClientId,
        endpointId,
        (current) => setConsent(current, purpose, false),
        byOwner(request, delivery.id),
        clock(),
      );
      const isRefused = changed === null || changed.failure === "too_many_purposes";
      answer(request, response, isRefused ? 404 : 200, isRefused ? "unknown" : "done", { purpose });
    })
    .all(refuseMethod);
  app.use((request, response) => answer(request, response, 404, "unknown"));

  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    logger.error(
      { err: error, correlation_id: correlationId(request), route: "/api/v1/unsubscribe/{token}" },
      "the unsubscribe page failed",
    );
    if (response.headersSent) response.destroy();
    else answer(request, response, 500, "failed");
  };
  app.use(onError);
  return app;
}

/**
 * Returns the token of the link, which is the only input that the routes read; they ignore bodies and queries. Null
 * if the text cannot be a token.
 */
function tokenOf(request: Request): string | null {
  const token = String(request.params.token);
  return /^[0-9a-f]{64}$/.test(token) ? token : null;
}

function refuseMethod(request: Request, response: Response): void {
  response.setHeader("allow", "GET, HEAD, POST");
  answer(request, response, 405, "unknown");
}

const localeOf = (request: Request): PageLocale => acceptedLanguage(request.get("accept-language"), ["en", "ja"]);

/** Anyone who has the link from an email is treated as the owner of its address. */
function byOwner(request: Request, deliveryId?: string): ChangeCause {
  const given = correlationId(request);
  return {
    by: "owner",
    correlationId: isUuid(given) ? given : null,
    ...defined({ deliveryId }),
  };
}

function correlationId(request: Request): string {
  return request.get("x-correlation-id") ?? "";
}

function answer(
  request: Request,
  response: Response,
  status: number,
  state: PageState,
  { purpose }: { readonly purpose?: string } = {},
): void {
  const isGood = status === 200;
  response.status(status).set({
    "content-security-policy": pageSecurityPolicy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
    vary: "accept-language",
  });
  response.type("html").send(
    unsubscribePage(localeOf(request), state, {
      action: `${tokenOf(request) ?? ""}/resubscribe`,
      ...(purpose === undefined || !isGood ? {} : { purpose }),
      ...(isGood ? {} : { reference: correlationId(request) }),
    }),
  );
}
