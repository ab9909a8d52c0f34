import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../source-files.ts";
import { containersOf, podOf } from "./pod-rules.ts";
import { renderer, renderOverlay } from "./render-overlay.ts";

test.skipIf(renderer === null)(
  "restores the older configuration with an older overlay, and creates new pods with each change",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "rollback-"));
    cpSync(join(repositoryRoot, "k8s"), root, { recursive: true });
    const path = join(root, "components/config/platform.env");
    const before = readFileSync(path, "utf8");
    /** Returns the ConfigMap that the pods of the overlay read, and its contents. */
    const deployed = async () => {
      const objects = await renderOverlay(join(root, "overlays/production/gateway"));
      const pod = podOf(objects.find(({ kind }) => kind === "Deployment") ?? expect.unreachable("no Deployment"));
      const [name] = new Set(
        containersOf(pod).flatMap(({ env = [] }) =>
          env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef?.name ?? []),
        ),
      );
      return { name, data: objects.find(({ metadata }) => metadata.name === name)?.data };
    };
    const first = await deployed();
    expect(first.data?.LOG_LEVEL).toBe("info");
    writeFileSync(path, before.replace("LOG_LEVEL=info", "LOG_LEVEL=warn"));
    const changed = await deployed();
    expect(changed.data?.LOG_LEVEL).toBe("warn");
    expect(changed.name).not.toBe(first.name);
    writeFileSync(path, before);
    expect(await deployed()).toEqual(first);
  },
  60_000,
);
