import type { KubernetesObject } from "@platform/checks/manifests/render-overlay";
import { services } from "./machine.ts";

const labels = { "k8s-app": "kube-dns" };
const metadata = { name: "coredns", namespace: "kube-system" };

const corefile = `.:53 {
  errors
  health :8080
  ready :8181
  cache 5
  kubernetes cluster.local in-addr.arpa
}
`;

/** CoreDNS as in other clusters. The NetworkPolicies allow pods to resolve names there. */
export const dns: readonly KubernetesObject[] = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "coredns" },
    rules: [
      { apiGroups: [""], resources: ["services", "pods", "namespaces", "endpoints"], verbs: ["list", "watch"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
    ],
  } as KubernetesObject,
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "coredns" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "coredns" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  } as KubernetesObject,
  { apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: corefile } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "coredns",
          // It forwards no query to another server.
          dnsPolicy: "None",
          dnsConfig: { nameservers: ["127.0.0.1"] },
          containers: [
            {
              name: "coredns",
              image: "registry.k8s.io/coredns/coredns:v1.12.4",
              args: ["-conf", "/etc/coredns/Corefile"],
              ports: [
                { name: "dns", containerPort: 53, protocol: "UDP" },
                { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
              ],
              resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "256Mi" } },
              readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 2 },
              volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
            },
          ],
          volumes: [{ name: "config", configMap: { name: "coredns" } }],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kube-dns", namespace: "kube-system", labels },
    spec: {
      clusterIP: services.dns,
      selector: labels,
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
  },
];
