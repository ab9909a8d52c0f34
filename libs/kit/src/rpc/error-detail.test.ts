import { type ServiceError as GrpcError, Metadata, status } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { detailsBytesMax } from "./bounded-details.ts";
import {
  attemptFailure,
  decodeErrorDetail,
  encodeErrorDetail,
  fromAttemptFailure,
  fromGrpcFailure,
} from "./error-detail.ts";
import { dependencyUnavailable, ServiceError } from "./service-error.ts";

const rpc = "projectintegration.events.v1.DomainEventService/PublishDomainEvent";
const answered = (error: ServiceError, code: status): Error =>
  attemptFailure(code, "", true, Buffer.from(encodeErrorDetail(error)));

test("includes the name of the RPC and its error in the cause of a failure", () => {
  const error = fromAttemptFailure(answered(dependencyUnavailable(), status.UNAVAILABLE), rpc);
  expect(error).toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  expect((error.cause as Error).message).toBe(`${rpc} answered dependency_unavailable`);
});

test("includes the name of the RPC and the failure in the cause when no response arrived", () => {
  const error = fromAttemptFailure(attemptFailure(status.UNAVAILABLE, "connection refused", false), rpc);
  expect(error.code).toBe("dependency_unavailable");
  expect((error.cause as Error).message).toBe(`${rpc} failed with UNAVAILABLE: connection refused`);
});

test("includes the name of the RPC in the cause of a failure without text", () => {
  const error = fromAttemptFailure(attemptFailure(status.INTERNAL, "", true), rpc);
  expect(error.code).toBe("internal_error");
  expect((error.cause as Error).message).toBe(`${rpc} failed with INTERNAL`);
});

test.each([
  ["write EPIPE", "dependency_unavailable"],
  ["read ENETRESET", "dependency_unavailable"],
  ["Session closed with error code 1", "internal_error"],
])("classifies a call whose connection ended with '%s' as %s", (reason, code) => {
  const details = `Received RST_STREAM with code 2 triggered by internal client error: ${reason}`;
  const failure = Object.assign(new Error(), { code: status.INTERNAL, details, metadata: new Metadata() }) as GrpcError;
  expect(fromAttemptFailure(fromGrpcFailure(failure), rpc).code).toBe(code);
});

test("passes a rejection on unchanged", () => {
  const refusal = new ServiceError("not_found", "There is no such thing.", { details: { id: "1" } });
  expect(fromAttemptFailure(answered(refusal, status.FAILED_PRECONDITION), rpc)).toMatchObject({
    code: "not_found",
    message: "There is no such thing.",
    details: { id: "1" },
  });
});

describe("error details with names from a caller's request", () => {
  const mismatch = (names: readonly string[]) =>
    new ServiceError("template_variables_mismatch", "The variables are not those the template declares.", {
      details: {
        violations: names.map((name) => ({
          path: `/variables/${name}`,
          code: "unknown_property",
          message: "not declared",
        })),
      },
    });
  const pathsOf = (error: ServiceError): string[] =>
    (error.details as { violations: { path: string }[] }).violations.map(({ path }) => path);

  test("keeps 50 violations of usual length unchanged", () => {
    const error = mismatch(Array.from({ length: 50 }, (_, index) => `order_number_${index}`));
    expect(decodeErrorDetail(encodeErrorDetail(error)).details).toEqual(error.details);
  });

  test("shortens names of any length to fit a header, and keeps the first violations", () => {
    const error = mismatch(Array.from({ length: 50 }, (_, index) => `${index}${"😀".repeat(5_000)}`));
    const bytes = encodeErrorDetail(error);
    expect(bytes.byteLength).toBeLessThan(detailsBytesMax + 1_024);
    const [first = "", second = ""] = pathsOf(decodeErrorDetail(bytes));
    expect(first).toMatch(/^\/variables\/0(?:😀)+…$/u);
    expect(second).toMatch(/^\/variables\/1(?:😀)+…$/u);
  });

  test("keeps details of exactly the maximum size, and omits them when they are one byte larger", () => {
    const empty = JSON.stringify({ reason: "" }).length;
    const reason = "r".repeat(detailsBytesMax - empty);
    const told = (text: string) =>
      decodeErrorDetail(encodeErrorDetail(new ServiceError("x", "m", { details: { reason: text } })));
    expect(told(reason).details).toEqual({ reason });
    expect(told(`${reason}r`).details).toEqual({});
  });
});
