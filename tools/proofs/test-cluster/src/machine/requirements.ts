import { existsSync } from "node:fs";
import { missingRequirements as missingOfEngines } from "@platform/test-engines/install";

/**
 * Debian packages, each identified by one of its files. The last three are needed to build the pause program of pods
 * and a key of the API server.
 */
export const packages: readonly (readonly [path: string, name: string])[] = [
  ["/usr/bin/containerd", "containerd"],
  ["/usr/sbin/runc", "runc"],
  ["/usr/lib/cni/bridge", "containernetworking-plugins"],
  ["/usr/sbin/debootstrap", "debootstrap"],
  ["/usr/sbin/iptables", "iptables"],
  ["/usr/sbin/ipset", "ipset"],
  ["/usr/sbin/conntrack", "conntrack"],
  ["/usr/bin/gcc", "gcc"],
  ["/usr/include/stdio.h", "libc6-dev"],
  ["/usr/bin/openssl", "openssl"],
];

/** Lists what this machine lacks for a cluster; empty if everything is present. */
export function missingRequirements(): string[] {
  const absent = packages.filter(([path]) => !existsSync(path)).map(([, name]) => name);
  return [
    ...missingOfEngines(["kubernetes"]),
    ...(absent.length === 0 ? [] : [`Debian packages: apt-get install --no-install-recommends ${absent.join(" ")}`]),
  ];
}
