import type { Logger } from "@platform/service-kit/process/logger";
import { errorAnswer, knownError } from "./error-answer.ts";
import type { Stage } from "./exchange.ts";
import { pageErrorAnswer, wantsPage } from "./page-error.ts";

/** Turns whatever a later stage throws into the error envelope. What is not of the closed vocabulary is logged here, once, with its stack. */
export function renderError(logger: Logger): Stage {
  return async (exchange, next) => {
    try {
      return await next();
    } catch (thrown) {
      const error = knownError(thrown);
      exchange.errorCode = error.code;
      if (error.code === "internal_error" || error.code === "dependency_unavailable") {
        logger.error(
          {
            err: error.cause ?? error,
            correlation_id: exchange.correlationId,
            operation: exchange.operation.id,
            code: error.code,
          },
          "request failed",
        );
      }
      const answer = errorAnswer(error, exchange.correlationId, exchange.operation);
      const isPage =
        exchange.operation.transport === "proxy" &&
        exchange.operation.upstream !== "files" &&
        wantsPage(exchange.request);
      return isPage ? pageErrorAnswer(answer, exchange.correlationId, exchange.request) : answer;
    }
  };
}
