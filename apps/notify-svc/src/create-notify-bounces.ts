import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { startPlatformService } from "@platform/operator-plane/service";
import { createBounceAddresses } from "./bounce-addresses.ts";
import { createBounceMetrics } from "./bounces/bounce-metrics.ts";
import { receiveBounces } from "./bounces/receive-bounces.ts";
import type { BouncesConfig } from "./config.ts";
import { countEndpoints } from "./count-endpoints.ts";
import { createStores } from "./store/stores.ts";

/** A started receiver, and the port on which it accepts email. */
type RunningBounces = RunningService & { readonly smtpPort: number };

/** Starts the mail server of notify-svc that receives delivery reports and complaints. */
export async function createNotifyBounces(
  config: BouncesConfig,
  overrides: ServiceOverrides = {},
): Promise<RunningBounces> {
  let smtpPort = 0;
  const running = await startPlatformService({
    name: "notify-svc-bounces",
    config,
    overrides,
    openStores: createStores,
    wire: async (kit) => {
      const { stores, clock, logger, metrics, job, onClose } = kit;
      stores.facts.follow(await kit.watchPlatformEventClients());
      onClose(countEndpoints(stores, { clock, logger }).close);
      const addresses = createBounceAddresses(config.keyring);
      const deps = { stores, addresses, clock, logger, metrics: createBounceMetrics(metrics.registry) };
      const receiver = job(await receiveBounces(deps, { host: config.host, ...config.bounces }));
      smtpPort = receiver.port;
    },
  });
  return { ...running, smtpPort };
}
