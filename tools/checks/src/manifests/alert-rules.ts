import { readSource } from "../source-files.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly runbook_url?: string };
};

/** Every alert says how urgent it is, and leads to a section of docs/operations.md. */
export function checkAlerts({ spec }: KubernetesObject): string[] {
  const sections = new Set(
    [...readSource("docs/operations.md").matchAll(/^### (\w+)$/gm)].map(([, name = ""]) => name.toLowerCase()),
  );
  return (spec.groups as { rules: Rule[] }[]).flatMap(({ rules }) =>
    rules.flatMap(({ alert, expr, labels, annotations }) => {
      const section = /\/operations\.md#(\w+)$/.exec(annotations?.runbook_url ?? "")?.[1];
      return [
        ...(["page", "ticket", "info"].includes(labels?.severity ?? "") ? [] : [`${alert} has no severity`]),
        // A provider's failure is the provider's: bulkheads resume by themselves.
        ...(expr.includes("platform_notify_paused_bulkheads") && labels?.severity === "page"
          ? [`${alert} wakes people for paused bulkheads`]
          : []),
        ...(section !== undefined && sections.has(section)
          ? []
          : [`${alert} leads to no section of docs/operations.md`]),
      ];
    }),
  );
}
