import { fileURLToPath } from "node:url";
import { defined } from "@platform/kit/process/fields";
import express, { type ErrorRequestHandler, type Express } from "express";
import { faultSchema } from "../faults/fault.ts";
import { faultsByChannel } from "../faults/fault-kinds.ts";
import type { SinkState } from "../faults/settle-attempt.ts";
import { readChoice } from "../page/page-query.ts";
import { renderPage } from "../page/render-page.ts";
import type { Subscriptions } from "../web-push/subscriptions.ts";
import { parseMessageQuery } from "./message-query.ts";
import { BadInput, parseInput } from "./parse-input.ts";
import { subscriptionRequestSchema } from "./subscription-request.ts";
import { writeMessages } from "./write-messages.ts";

const assetsDirectory = fileURLToPath(new URL("../page/assets", import.meta.url));
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** Number of messages that the page lists. */
const shownMax = 300;
// The HTML of an email comes from someone else. It may not run scripts or send requests, and may use only its own inline styles and images.
const mailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/** Creates the control API of the sink and its page. */
export function createControlApp(state: SinkState, subscriptions: Subscriptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use(express.json({ limit: "1mb", type: () => true, strict: false }));

  app.get("/messages", async (request, response) => {
    const filter = parseMessageQuery(request.query);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    await writeMessages(response, state.store.read(filter, gone.signal));
  });
  app.delete("/messages", (_request, response) => {
    state.store.clear();
    response.status(204).end();
  });
  app.get("/messages/:id/html", async (request, response) => {
    const message = await state.store.get(request.params.id);
    const html = message?.channel === "email" ? message.parsed?.html : undefined;
    response.set({ "content-security-policy": mailPolicy, "referrer-policy": "no-referrer" });
    if (typeof html === "string") response.type("html").send(html);
    else response.status(404).type("text").send("no such mail, or it has no HTML part");
  });
  app.get("/counts", (_request, response) => {
    response.json(state.store.totals());
  });

  app.get("/faults", (_request, response) => {
    response.json(state.faults.list());
  });
  app.post("/faults", (request, response) => {
    const fault = parseInput(faultSchema, request.body);
    state.faults.add(fault);
    response.status(201).json(fault);
  });
  app.delete("/faults", (_request, response) => {
    state.faults.clear();
    response.status(204).end();
  });
  app.get("/faults/kinds", (_request, response) => {
    const kinds = Object.entries(faultsByChannel).map(([channel, { kinds }]) => [channel, Object.keys(kinds)]);
    response.json(Object.fromEntries(kinds));
  });

  app.post("/web-push/subscriptions", (request, response) => {
    const { applicationServerKey } = parseInput(subscriptionRequestSchema, request.body ?? {});
    response.status(201).json(subscriptions.create(applicationServerKey ?? null));
  });
  app.delete("/web-push/push/:id", (request, response) => {
    response.status(subscriptions.remove(request.params.id) ? 204 : 404).end();
  });

  app.get("/", async (request, response) => {
    const choice = readChoice(request.query);
    const faults = state.faults.list().reduce((sum, { times }) => sum + times, 0);
    const version = `${state.store.revision}.${faults}`;
    response.set({ "content-security-policy": pagePolicy, "cache-control": "no-store" });
    // The page polls every second; an idle page must not cost the sink a rendered list.
    if (request.get("if-none-match") === version) return void response.status(304).end();
    const filter = defined({ channel: choice.channel });
    const [messages, chosen] = await Promise.all([
      state.store.find({ ...filter, newest: shownMax }),
      choice.message === "" ? null : state.store.get(choice.message),
    ]);
    const totals = state.store.totals();
    response.type("html").send(renderPage({ choice, totals, faults, messages: messages.reverse(), chosen, version }));
  });
  app.post("/clear", (request, response) => {
    // Any site that a developer visits could post a form to this port, so the request's origin is checked.
    const isOwnForm = URL.parse(request.get("origin") ?? "")?.host === request.get("host");
    if (!isOwnForm) return void response.status(403).json({ error: "not a form of this page; use DELETE /messages" });
    state.store.clear();
    response.redirect(303, "./");
  });
  app.use(express.static(assetsDirectory));
  app.use((_request, response) => {
    response.status(404).json({ error: "no such path" });
  });
  app.use(reportError);
  return app;
}

const reportError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  const status = error instanceof BadInput ? 400 : typeof error?.status === "number" ? error.status : 500;
  response.status(status).json({ error: error instanceof Error ? error.message : "unknown error" });
};
