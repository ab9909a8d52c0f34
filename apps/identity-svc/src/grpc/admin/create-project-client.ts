import { newId } from "@platform/kit/process/secrets";
import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { type Environment, environments, isEnvironment } from "../../domain/environment.ts";
import { returnUriProblem } from "../../domain/return-uri.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientMessage } from "../messages.ts";
import { requireText } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["createProjectClient"];

const returnUrisMax = 50;

export function createProjectClient(context: IdentityContext): Rpc {
  return async (request) => {
    const { environment } = request;
    if (!isEnvironment(environment)) {
      throw invalidRequest("/environment", `must be one of ${environments.join(", ")}`);
    }
    const client = {
      id: newId(),
      name: requireText("/name", request.name, 120),
      environment,
      return_uris: checkedReturnUris(request.returnUris, environment),
      quota_limits: {},
      disabled_at: null,
      created_at: context.clock(),
    };
    await context.clients.insert(client);
    return { projectClient: projectClientMessage(client, context.quotaDefaults) };
  };
}

/** The return_uris as they may be stored: each allowed, none twice. */
export function checkedReturnUris(uris: readonly string[], environment: Environment): string[] {
  if (uris.length > returnUrisMax) throw invalidRequest("/return_uris", `must be at most ${returnUrisMax}`);
  for (const [index, uri] of uris.entries()) {
    const problem = returnUriProblem(uri, environment);
    if (problem !== null) throw invalidRequest(`/return_uris/${index}`, problem);
  }
  return [...new Set(uris)];
}
