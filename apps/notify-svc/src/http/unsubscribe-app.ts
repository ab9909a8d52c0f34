import { acceptedLanguage } from "@platform/service-kit/http/accept-language";
import type { Logger } from "@platform/service-kit/process/logger";
import { hashToken } from "@platform/service-kit/secrets/token";
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import type { Delivery } from "../domain/delivery.ts";
import { setConsent } from "../domain/endpoint.ts";
import type { Stores } from "../store/stores.ts";
import { pageSecurityPolicy, unsubscribePage } from "./unsubscribe-page.ts";

type UnsubscribeDeps = {
  readonly stores: Pick<Stores, "deliveries" | "endpoints">;
  readonly clock: () => Date;
  readonly logger: Logger;
};

/**
 * One-click unsubscribe (RFC 8058). Only POST changes anything: mail scanners follow links, and they must not unsubscribe anybody. GET
 * shows a page with a button that posts. The token in the link is the whole permission; no cookie is read.
 */
export function createUnsubscribeApp({ stores, clock, logger }: UnsubscribeDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");

  const findDelivery = async (request: Request): Promise<(Delivery & { readonly purpose: string }) | null> => {
    const token = String(request.params.token);
    if (!/^[0-9a-f]{64}$/.test(token)) return null;
    const delivery = await stores.deliveries.findByUnsubscribeToken(hashToken(token));
    return delivery === null || delivery.purpose === null ? null : { ...delivery, purpose: delivery.purpose };
  };

  app
    .route("/api/v1/unsubscribe/:token")
    .get(async (request, response) => {
      const delivery = await findDelivery(request);
      if (delivery === null) return answer(request, response, 404, "unknown");
      const endpoint = await stores.endpoints.find(delivery.projectClientId, delivery.endpointId);
      const isDone = endpoint?.withdrawnPurposes.includes(delivery.purpose) === true;
      answer(request, response, 200, isDone ? "done" : "ask", delivery.purpose);
    })
    .post(async (request, response) => {
      // The body adds nothing to method and link, so it is not read.
      request.resume();
      const delivery = await findDelivery(request);
      if (delivery === null) return answer(request, response, 404, "unknown");
      const { projectClientId, endpointId, purpose } = delivery;
      const changed = await stores.endpoints.change(
        projectClientId,
        endpointId,
        (current) => setConsent(current, purpose, false),
        clock(),
      );
      const isRefused = changed === null || changed.failure === "too_many_purposes";
      answer(request, response, isRefused ? 404 : 200, isRefused ? "unknown" : "done", purpose);
    })
    .all((request, response) => {
      response.setHeader("allow", "GET, HEAD, POST");
      answer(request, response, 405, "unknown");
    });
  app.use((request, response) => answer(request, response, 404, "unknown"));

  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    logger.error(
      { err: error, correlation_id: correlationId(request), route: "/api/v1/unsubscribe/{token}" },
      "page failed",
    );
    if (response.headersSent) response.destroy();
    else answer(request, response, 500, "failed");
  };
  app.use(onError);
  return app;
}

function correlationId(request: Request): string {
  return request.get("x-correlation-id") ?? "";
}

function answer(
  request: Request,
  response: Response,
  status: number,
  state: "ask" | "done" | "unknown" | "failed",
  purpose?: string,
): void {
  const isGood = state === "ask" || state === "done";
  response.status(status).set({
    "content-security-policy": pageSecurityPolicy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
    vary: "accept-language",
  });
  response.type("html").send(
    unsubscribePage(acceptedLanguage(request.get("accept-language"), ["en", "ja"]), state, {
      ...(purpose === undefined || !isGood ? {} : { purpose }),
      ...(isGood ? {} : { reference: correlationId(request) }),
    }),
  );
}
