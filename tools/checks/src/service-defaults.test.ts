import { join } from "node:path";
import { serviceNames, services } from "@platform/contracts/services";
import { expect, test } from "vitest";
import { secretStandIns } from "./manifests/check-environment.ts";
import { repositoryRoot } from "./source-files.ts";

type Config = { readonly grpcPort: number; readonly httpPort: number; readonly mongo: { readonly database: string } };

// Services do not import the list. Their own defaults apply in compose.yaml, and if a process is started by hand.
test.each(serviceNames)(
  "uses by default the ports of the list and a database with its name for %s-svc",
  async (name) => {
    const module = (await import(join(repositoryRoot, `apps/${name}-svc/src/config.ts`))) as {
      readonly readServerConfig: (env: object) => Config;
    };
    const { MONGODB_URI, SERVICE_KEY, OPERATOR_TOKEN } = secretStandIns;
    const { grpcPort, httpPort, mongo } = module.readServerConfig({ MONGODB_URI, SERVICE_KEY, OPERATOR_TOKEN });
    expect({ grpcPort, httpPort: httpPort === 0 ? null : httpPort, database: mongo.database }).toEqual({
      grpcPort: services[name].grpcPort,
      httpPort: services[name].httpPort,
      database: name,
    });
  },
);
