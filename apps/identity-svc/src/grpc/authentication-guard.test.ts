import type { DescMethod } from "@bufbuild/protobuf";
import type { ServerCall } from "@platform/kit/rpc/server";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { describe, expect, test } from "vitest";
import { authenticationGuard } from "./authentication-guard.ts";

const call = (method: DescMethod, caller: string | null) => () =>
  authenticationGuard(method, { caller } as unknown as ServerCall);
const {
  checkProjectClient,
  getProjectClient,
  listDisabledProjectClients,
  listPlatformEventClients,
  ...authentications
} = AuthenticationService.method;

describe("access to identity-svc", () => {
  test("admits only the gateway's certificate to authenticate credentials", () => {
    for (const method of Object.values(authentications)) {
      expect(call(method, "gateway")).not.toThrow();
      expect(call(method, "events-svc")).toThrow("does not allow");
      expect(call(method, "files-svc")).toThrow("does not allow");
    }
  });

  test("reveals a Project Client's limits only to the gateway and events-svc", () => {
    expect(call(getProjectClient, "gateway")).not.toThrow();
    expect(call(getProjectClient, "events-svc")).not.toThrow();
    expect(call(getProjectClient, "notify-svc")).toThrow("does not allow");
    expect(call(getProjectClient, "")).toThrow("does not allow");
  });

  test("reveals only to services which Project Clients exist, are disabled or have platform events", () => {
    for (const list of [checkProjectClient, listDisabledProjectClients, listPlatformEventClients]) {
      for (const service of ["gateway", "files-svc", "notify-svc", "events-svc", "ads-svc"]) {
        expect(call(list, service)).not.toThrow();
      }
      expect(call(list, "operator")).toThrow("does not allow");
      // This certificate was issued by the platform's authority, but its name is not that of a service.
      expect(call(list, "mallory-svc")).toThrow("does not allow");
      expect(call(list, "identity-svc")).toThrow("does not allow");
    }
  });
});
