import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import type { Cluster } from "./control-plane.ts";
import { command, node, services, startProcess } from "./machine.ts";

const socket = "/run/containerd/containerd.sock";

/** Runs ctr on the images and containers of the kubelet. */
export const ctr = (...args: readonly string[]): Promise<string> =>
  command("ctr", "--address", socket, "--namespace", "k8s.io", ...args);

/**
 * Starts containerd with the images of an OCI layout, the kubelet, kube-proxy, and the program that enforces
 * NetworkPolicies. Waits until the node is ready.
 */
export async function startNode(folder: string, bin: string, images: string, cluster: Cluster): Promise<void> {
  const file = (name: string): string => join(folder, name);
  writeFileSync(file("containerd.toml"), containerdSettings(folder));
  writeNetwork(file("cni"));
  const containerd = startProcess(folder, "containerd", "/usr/bin/containerd", ["--config", file("containerd.toml")]);
  await eventually(async () => containerd.isRunning() && (await ctr("version")), {
    everyMs: 200,
    what: "containerd serves",
  });
  const importing = `tar -C "$0" -c . | ctr --address ${socket} --namespace k8s.io images import -`;
  await command("sh", "-c", importing, images);
  writeFileSync(file("kubelet.json"), JSON.stringify(kubeletSettings()));
  startProcess(folder, "kubelet", join(bin, "kubelet"), [
    `--config=${file("kubelet.json")}`,
    `--kubeconfig=${cluster.kubeconfig}`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.address}`,
    "--root-dir=/var/lib/kubelet",
    "--cert-dir=/var/lib/kubelet/pki",
    "--node-labels=topology.kubernetes.io/zone=here",
    "--v=2",
  ]);
  startProcess(folder, "kube-proxy", join(bin, "kube-proxy"), [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--hostname-override=${node.name}`,
    "--proxy-mode=iptables",
    `--cluster-cidr=${node.podCidr}`,
    // These are settings of the whole machine, which this cluster must not change.
    ...["--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0"],
  ]);
  await eventually(async () => /node\s+Ready/.test(await cluster.kubectl(["get", "nodes", "--no-headers"])), {
    timeoutMs: 180_000,
    everyMs: 1_000,
    what: "the node is ready",
  });
  startProcess(folder, "network-policies", join(bin, "network-policies"), [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--hostname-override=${node.name}`,
    `--service-cluster-ip-range=${services.cidr}`,
    `--service-node-port-range=${services.nodePorts}`,
    "--iptables-sync-period=10m",
  ]);
}

function containerdSettings(folder: string): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}

/** Writes the configuration of the network: one bridge for all pods of the node. */
function writeNetwork(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const network = {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: "pods0",
        isDefaultGateway: true,
        hairpinMode: true,
        ipam: { type: "host-local", ranges: [[{ subnet: node.podCidr }]] },
      },
    ],
  };
  writeFileSync(join(folder, "10-pods.conflist"), JSON.stringify(network));
}

function kubeletSettings(): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    failCgroupV1: false,
    cgroupDriver: "cgroupfs",
    cgroupRoot: process.env.CLUSTER_CGROUP,
    enforceNodeAllocatable: ["pods"],
    containerRuntimeEndpoint: `unix://${socket}`,
    clusterDomain: "cluster.local",
    clusterDNS: [services.dns],
    resolvConf: "",
    failSwapOn: false,
    // Programs outside of the node's network cannot reach its kubelet.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    // Time until a changed Secret reaches the files of pods.
    syncFrequency: "20s",
    serializeImagePulls: true,
  };
}
