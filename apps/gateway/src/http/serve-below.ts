import type { IncomingMessage, ServerResponse } from "node:http";
import { operationList } from "@platform/contracts/operations";
import type { Forward } from "../proxies.ts";
import { createRouteTable } from "../route-table.ts";
import { type ApiListenerOptions, createApiListener } from "./api-listener.ts";
import { createPageListener } from "./page-listener.ts";

/** Answers one request. `path` is the path below /api/v1, without the query; empty for one that is elsewhere. */
export type ServeBelow = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** Puts together what is below /api/v1: the services' pages and bytes, then the operations of the table. */
export function createServeBelow({
  forward,
  ...options
}: Omit<ApiListenerOptions, "match"> & { readonly forward: Forward }): {
  /** Both. */
  readonly serveBelow: ServeBelow;
  /** The operations alone: what is none of them is refused. */
  readonly serveOperation: ServeBelow;
} {
  const match = createRouteTable(operationList);
  const serveOperation = createApiListener({ match, ...options });
  const isOperation = (path: string): boolean => match("GET", path).kind !== "not_found";
  const servePage = createPageListener({ forward, isOperation, ...options });
  return {
    serveOperation,
    serveBelow: (request, response, path) => {
      if (!servePage(request, response, path)) serveOperation(request, response, path);
    },
  };
}
