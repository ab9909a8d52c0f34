import type { DescMethod } from "@bufbuild/protobuf";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { IncomingCall } from "@platform/service-kit/grpc/incoming-call";
import { describe, expect, test } from "vitest";
import { authenticationGuard } from "./authentication-guard.ts";

const call = (method: DescMethod, caller: string | null) => () =>
  authenticationGuard(method, { caller } as unknown as IncomingCall);
const { getProjectClient, listDisabledProjectClients, ...authentications } = AuthenticationService.method;

describe("who may ask identity-svc", () => {
  test("a service's certificate tries credentials: only the gateway's is let in", () => {
    for (const method of Object.values(authentications)) {
      expect(call(method, "gateway")).not.toThrow();
      expect(call(method, "events-svc")).toThrow("does not allow");
      expect(call(method, "files-svc")).toThrow("does not allow");
    }
  });

  test("the limits of a Project Client are told to the gateway and to events-svc, which meters by them", () => {
    expect(call(getProjectClient, "gateway")).not.toThrow();
    expect(call(getProjectClient, "events-svc")).not.toThrow();
    expect(call(getProjectClient, "notify-svc")).toThrow("does not allow");
    expect(call(getProjectClient, "")).toThrow("does not allow");
  });

  test("which Project Clients are disabled is told to the services, and to nobody else", () => {
    for (const service of ["gateway", "files-svc", "notify-svc", "events-svc", "ads-svc"]) {
      expect(call(listDisabledProjectClients, service)).not.toThrow();
    }
    expect(call(listDisabledProjectClients, "operator")).toThrow("does not allow");
  });
});
