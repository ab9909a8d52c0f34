import type { IncomingMessage } from "node:http";
import { ServiceError } from "@platform/kit/rpc/errors";
import { describe, expect, test } from "vitest";
import { errorAnswer, knownError } from "./errors.ts";
import { pageErrorAnswer, wantsPage } from "./page-error.ts";

const request = (headers: Record<string, string>): IncomingMessage => ({ headers }) as unknown as IncomingMessage;
const id = "01a1fbb1-b0e7-7370-a550-dbbc08f6978d";

describe("an error on the path of a page", () => {
  test("returns a page to browsers, with the envelope's status and correlation id", () => {
    const envelope = errorAnswer(knownError(new Error("inner host name")), id, null);
    const page = pageErrorAnswer(envelope, id, request({ accept: "text/html" }));
    expect(page).toMatchObject({ kind: "body", status: 500, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(page.kind === "body" && page.body).toContain(id);
    expect(page.kind === "body" && page.body).not.toContain("inner host name");
  });

  test.each([
    ["a link that cannot be used", "route_not_found", "request a new one"],
    ["a failure of the platform", "dependency_unavailable", "try again in a moment"],
  ] as const)("explains what to do after %s", (_what, code, advice) => {
    const envelope = errorAnswer(knownError(new ServiceError(code, "")), id, null);
    expect(pageErrorAnswer(envelope, id, request({ accept: "text/html" })).body).toContain(advice);
  });

  test("returns a page in Japanese to readers of Japanese", () => {
    const page = pageErrorAnswer(
      errorAnswer(knownError(new Error()), id, null),
      id,
      request({ "accept-language": "ja-JP,ja;q=0.9" }),
    );
    expect(page.kind === "body" && page.body).toContain('lang="ja"');
  });

  test("returns the envelope to programs", () => {
    expect(wantsPage(request({ accept: "application/json" }))).toBe(false);
    expect(wantsPage(request({}))).toBe(false);
    expect(wantsPage(request({ accept: "text/html,application/xhtml+xml,*/*;q=0.8" }))).toBe(true);
  });
});
