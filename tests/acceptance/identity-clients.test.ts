import { scopes } from "@platform/contracts/scopes";
import { eventually } from "@platform/test-kit/eventually";
import { describe, expect, test } from "vitest";
import { acceptanceStack } from "./stack.ts";

const { api, ctl, newClient } = acceptanceStack;
const gateways = [acceptanceStack.baseUrl, acceptanceStack.secondBaseUrl];

/** Returns the status with which each gateway responds to a credential. */
async function statusesOf(credential: string): Promise<number[]> {
  const replies = gateways.map((baseUrl) =>
    api("GET", "/project-client", { baseUrl, credential, idempotencyKey: null }),
  );
  return (await Promise.all(replies)).map(({ status }) => status);
}

/** Waits until every gateway responds with `status`. */
async function becomes(credential: string, status: number): Promise<void> {
  await eventually(async () => (await statusesOf(credential)).every((answered) => answered === status), {
    what: `${status} from every gateway`,
  });
}

describe("platformctl clients", () => {
  test("creates, shows, lists and updates clients", async () => {
    const created = await ctl([
      "clients",
      "create",
      "--name",
      "Ctl",
      "--environment",
      "sandbox",
      "--return-uri",
      "https://a.example/1",
      "--return-uri",
      "http://localhost:3000/2",
    ]);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Ctl",
      environment: "sandbox",
      return_uris: ["https://a.example/1", "http://localhost:3000/2"],
    });
    const shown = {
      ...created,
      disabled: false,
      platform_events: "off",
      allowed_scopes: [...scopes],
      success_ratio: null,
    };
    expect(await ctl(["clients", "show", "--client", created.id])).toEqual(shown);
    expect(await ctl(["clients", "list"])).toContainEqual(shown);
    const renamed = await ctl(["clients", "update", "--client", created.id, "--name", "Renamed"]);
    expect(renamed).toEqual({ ...shown, name: "Renamed" });
    const emptied = await ctl(["clients", "update", "--client", created.id, "--no-return-uris"]);
    expect(emptied.return_uris).toEqual([]);
  });

  test.each([
    ["an unknown environment", ["clients", "create", "--name", "x", "--environment", "moon"], /environment/],
    [
      "a return_uri production may not have",
      ["clients", "create", "--name", "x", "--environment", "production", "--return-uri", "http://127.0.0.1/"],
      /https/,
    ],
    [
      "an unknown client",
      ["clients", "show", "--client", "01900000-0000-7000-8000-000000000000"],
      /project_client_not_found/,
    ],
    ["an unknown scope", ["credentials", "issue", "--client", "x", "--scopes", "evnets:write"], /is not a scope/],
    ["a limit of nothing", ["quotas", "set", "--client", "x", "--resource", "events", "--limit", "0"], /at least 1/],
  ])("refuses %s with a reason", async (_what, args, message) => {
    await expect(ctl(args)).rejects.toThrow(message);
  });

  test("returns 403 on every gateway within a second of disabling a client, and accepts it again once enabled", async () => {
    const client = await newClient();
    await becomes(client.credential, 200);
    await ctl(["clients", "disable", "--client", client.id]);
    await becomes(client.credential, 403);
    const refused = await api("GET", "/project-client", { credential: client.credential });
    expect(refused.json.error.code).toBe("project_client_disabled");
    await ctl(["clients", "enable", "--client", client.id]);
    await becomes(client.credential, 200);
  });
});

describe("platformctl credentials", () => {
  test("accepts a rotated credential and its successor during the overlap, and only the successor without one", async () => {
    const client = await newClient();
    const rotated = await ctl(["credentials", "rotate", "--credential-id", client.credentialId]);
    await becomes(client.credential, 200);
    await becomes(rotated.credential, 200);
    const again = await ctl(["credentials", "rotate", "--credential-id", rotated.id, "--overlap-seconds", "0"]);
    await becomes(rotated.credential, 401);
    await becomes(again.credential, 200);
    const listed = await ctl(["credentials", "list", "--client", client.id]);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([client.credentialId, rotated.id, again.id]);
    expect(JSON.stringify(listed)).not.toContain(again.credential.split("_")[2]);
  });

  test("rejects a revoked credential with 401 on every gateway within a second", async () => {
    const client = await newClient();
    await becomes(client.credential, 200);
    await ctl(["credentials", "revoke", "--credential-id", client.credentialId]);
    await becomes(client.credential, 401);
  });

  test("shows the expiry of a credential and its last use", async () => {
    const client = await newClient();
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const issued = await ctl([
      "credentials",
      "issue",
      "--client",
      client.id,
      "--scopes",
      "clients:read",
      "--expires-at",
      expiresAt,
    ]);
    expect(issued).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      credential: expect.stringMatching(/^pcred_[0-9a-f]{32}_[0-9a-f]{64}$/),
      scopes: ["clients:read"],
      expires_at: expiresAt,
    });
    await becomes(issued.credential, 200);
    await eventually(async () => {
      const listed = await ctl(["credentials", "list", "--client", client.id]);
      return listed.find(({ id }: { id: string }) => id === issued.id)?.last_used_at;
    });
  });
});

test("shows the use and limits of quotas, and applies a new limit on every gateway within a second", async () => {
  const client = await newClient();
  const shown = await withinOneMinute(async () => {
    await becomes(client.credential, 200);
    return ctl(["quotas", "show", "--client", client.id]);
  });
  expect(shown).toHaveLength(8);
  const traffic = shown.find(({ resource }: { resource: string }) => resource === "api_traffic");
  expect(traffic).toMatchObject({ limit: 6000, window: "minute" });
  expect(traffic.used).toBeGreaterThanOrEqual(gateways.length);
  await ctl(["quotas", "set", "--client", client.id, "--resource", "api_traffic", "--limit", "1"]);
  await becomes(client.credential, 429);
});

/** Sends a pair of requests, and repeats it if the minute changed in between, because traffic is counted by clock minute. */
async function withinOneMinute<T>(act: () => Promise<T>): Promise<T> {
  const minute = (): number => Math.floor(Date.now() / 60_000);
  const begunIn = minute();
  const result = await act();
  return minute() === begunIn ? result : act();
}
