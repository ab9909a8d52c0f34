import { parse } from "yaml";
import { readSource } from "../source-files.ts";
import { podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Metric = { readonly type: string; readonly pods?: { readonly metric: { readonly name: string } } };
type AdapterRules = { readonly rules: readonly { readonly seriesQuery: string }[] };

/**
 * Requires that each Deployment is scaled by metrics that the adapter serves, or has a fixed number of pods, and that
 * it cannot lose all its pods together.
 */
export function checkScaling(deployment: KubernetesObject, objects: readonly KubernetesObject[]): string[] {
  const { name } = deployment.metadata;
  const scaler = objects.find(
    ({ kind, spec }) => kind === "HorizontalPodAutoscaler" && spec.scaleTargetRef.name === name,
  );
  const isProtected = objects.some(({ kind, spec }) => {
    if (kind !== "PodDisruptionBudget") return false;
    const labels = podOf(deployment).metadata.labels;
    return Object.entries(spec.selector.matchLabels as Record<string, string>).every(
      ([key, value]) => labels[key] === value,
    );
  });
  return [
    ...(scaler === undefined && deployment.spec.replicas === undefined ? ["no HorizontalPodAutoscaler scales it"] : []),
    // Otherwise, each apply would undo the decisions of the autoscaler.
    ...(scaler !== undefined && deployment.spec.replicas !== undefined
      ? ["has a fixed number of pods and a HorizontalPodAutoscaler"]
      : []),
    ...((scaler?.spec.metrics ?? []) as Metric[])
      .map(({ pods }) => pods?.metric.name)
      .filter((metric) => metric !== undefined && !isAdapted(metric))
      .map((metric) => `is scaled by ${metric}, which ops/prometheus/adapter-rules.yaml does not serve`),
    ...(isProtected ? [] : ["no PodDisruptionBudget protects it"]),
  ];
}

/** Returns whether a rule of the metrics adapter serves this metric. */
function isAdapted(metric: string): boolean {
  const { rules } = parse(readSource("ops/prometheus/adapter-rules.yaml")) as AdapterRules;
  return rules.some(({ seriesQuery }) => {
    const pattern = /__name__=~"([^"]+)"/.exec(seriesQuery)?.[1];
    return pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(metric);
  });
}
