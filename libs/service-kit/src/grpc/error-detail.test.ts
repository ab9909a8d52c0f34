import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { dependencyUnavailable, ServiceError } from "../errors/service-error.ts";
import { callFailure, encodeErrorDetail, fromCallFailure } from "./error-detail.ts";

const rpc = "projectintegration.events.v1.DomainEventService/PublishDomainEvent";
const answered = (error: ServiceError, code: status): Error =>
  callFailure(code, "", true, Buffer.from(encodeErrorDetail(error)));

test("names the RPC and its answer in the cause of a failure", () => {
  const error = fromCallFailure(answered(dependencyUnavailable(), status.UNAVAILABLE), rpc);
  expect(error).toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  expect((error.cause as Error).message).toBe(`${rpc} answered dependency_unavailable`);
});

test("names the RPC and the failure in the cause when no answer came", () => {
  const error = fromCallFailure(callFailure(status.UNAVAILABLE, "connection refused", false), rpc);
  expect(error.code).toBe("dependency_unavailable");
  expect((error.cause as Error).message).toBe(`${rpc} failed with UNAVAILABLE: connection refused`);
});

test("names the RPC in the cause of a failure without text", () => {
  const error = fromCallFailure(callFailure(status.INTERNAL, "", true), rpc);
  expect(error.code).toBe("internal_error");
  expect((error.cause as Error).message).toBe(`${rpc} failed with INTERNAL`);
});

test("passes a refusal on unchanged", () => {
  const refusal = new ServiceError("not_found", "There is no such thing.", { details: { id: "1" } });
  expect(fromCallFailure(answered(refusal, status.FAILED_PRECONDITION), rpc)).toMatchObject({
    code: "not_found",
    message: "There is no such thing.",
    details: { id: "1" },
  });
});
