import { describe, expectTypeOf, it } from "vitest";
import type { JsonObject } from "./caller-json.ts";
import type { BodyOf, CallOperationId, DataOf, ParamsOf } from "./operation.ts";
import type { filesOperations } from "./operations/files.ts";
import type { OperationId, operations } from "./operations.ts";

type Operations = typeof operations;

describe("the types of an operation", () => {
  it("types a body as its validated form", () => {
    expectTypeOf<BodyOf<Operations["files.createUploadGrant"]>>().toEqualTypeOf<{
      expected_sha256: string;
      expected_content_type: "application/pdf" | "image/gif" | "image/jpeg" | "image/png" | "text/plain";
      maximum_bytes: number;
    }>();
    expectTypeOf<BodyOf<Operations["events.publishDomainEvent"]>>().toEqualTypeOf<{
      type: string;
      schema_version: number;
      data: JsonObject;
      stream_id?: string | null | undefined;
      sequence?: number | null | undefined;
      occurred_at?: string | null | undefined;
    }>();
    expectTypeOf<BodyOf<Operations["events.registerScheduledOperation"]>["max_attempts"]>().toEqualTypeOf<number>();
    expectTypeOf<BodyOf<Operations["notify.createNotificationIntent"]>["variables"]>().toEqualTypeOf<
      Readonly<Record<string, string | number>>
    >();
    expectTypeOf<BodyOf<Operations["identity.getProjectClient"]>>().toEqualTypeOf<undefined>();
  });

  it("types path parameters by their names", () => {
    expectTypeOf<ParamsOf<Operations["notify.setDeliveryConsent"]>>().toEqualTypeOf<{
      endpointId: string;
      purpose: string;
    }>();
    expectTypeOf<ParamsOf<Operations["edge.noop"]>>().toEqualTypeOf<Record<never, string>>();
  });

  it("types data as the content of the success response", () => {
    expectTypeOf<DataOf<Operations["files.createDownloadGrant"]>>().toEqualTypeOf<{
      grant_id: string;
      download_url: string;
      expires_at: string;
    }>();
    expectTypeOf<DataOf<Operations["notify.getDeliveryEndpoint"]>["status"]>().toEqualTypeOf<
      "pending" | "verified" | "verification_failed" | "verification_locked" | "revoked"
    >();
  });

  it("requires handlers only for operations that a handler serves", () => {
    expectTypeOf<CallOperationId<typeof filesOperations>>().toEqualTypeOf<
      "files.createUploadGrant" | "files.completeFileObject" | "files.createDownloadGrant" | "files.createPublicAsset"
    >();
    expectTypeOf<"files.uploadFile">().toExtend<OperationId>();
  });
});
