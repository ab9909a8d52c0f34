import { type ServiceName, serviceNames } from "@platform/contracts/services";
import { connectGrpc, type GrpcConnection, type TlsSetting } from "@platform/kit/rpc/client";
import { connectAds } from "./handlers/ads/upstream.ts";
import { connectEvents } from "./handlers/events/upstream.ts";
import { connectFiles } from "./handlers/files/upstream.ts";
import { connectIdentity } from "./handlers/identity/upstream.ts";
import { connectNotify } from "./handlers/notify/upstream.ts";

/** host:port of each service. */
export type UpstreamAddresses = Readonly<Record<ServiceName, string>>;

/** Creates the connections to all services. Nothing is sent until the first call. */
export function connectUpstreams(
  addresses: UpstreamAddresses,
  { tls, isMuxUsed }: { readonly tls: TlsSetting; readonly isMuxUsed: boolean },
) {
  const connections = Object.fromEntries(
    serviceNames.map((name) => [name, connectGrpc({ address: addresses[name], tls, isMuxUsed })]),
  ) as Record<ServiceName, GrpcConnection>;
  // Clients of the services that have operations of the public API.
  const clients = {
    identity: connectIdentity(connections.identity),
    files: connectFiles(connections.files),
    notify: connectNotify(connections.notify),
    events: connectEvents(connections.events),
    ads: connectAds(connections.ads),
  } satisfies Partial<Record<ServiceName, object>>;
  return {
    ...clients,
    connections,
    close: () => {
      for (const connection of Object.values(connections)) connection.close();
    },
  };
}

/** The typed gRPC clients of all services. */
export type Upstreams = ReturnType<typeof connectUpstreams>;
