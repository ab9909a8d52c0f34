import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { servicePort } from "./free-offset.ts";
import { registerService } from "./register-service.ts";
import type { ServiceNames, Tree } from "./tree.ts";

const templates = join(import.meta.dirname, "files");

/**
 * Makes a new service in the shape of the others: its proto, app and tests from templates, its manifests from those of ads-svc, and its entry in
 * every list of services.
 * @returns what runs once the files are written: generates messages and dashboards, formats, and links the package
 */
export default function generateService(tree: Tree, { name }: { readonly name: string }): () => void {
  if (tree.exists(`apps/${name}-svc`)) throw new Error(`apps/${name}-svc is there already`);
  const port = servicePort(tree);
  const names: ServiceNames = {
    name,
    pascal: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    upper: name.toUpperCase(),
    port: port.grpc,
  };
  for (const file of globSync("**/*.template", { cwd: templates })) {
    const path = fill(file.replace(/\.template$/, ""), names);
    tree.write(path, fill(readFileSync(join(templates, file), "utf8"), names));
  }
  registerService(tree, names, port.offset);
  return () => {
    const bin = join(tree.root, "node_modules/.bin");
    execFileSync(join(bin, "buf"), ["generate"], {
      cwd: join(tree.root, "proto"),
      stdio: "inherit",
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    });
    execFileSync(process.execPath, ["tools/checks/src/dashboards/build-dashboards.ts"], { cwd: tree.root });
    const formatted = [
      `apps/${name}-svc`,
      "apps/gateway/src/upstreams.ts",
      "tools/checks/src/import-rules.ts",
      "tools/checks/src/folder-rules.ts",
      "tools/platform/src/layers.ts",
    ];
    execFileSync(join(bin, "biome"), ["check", "--write", ...formatted], { cwd: tree.root, stdio: "inherit" });
    const link = join(tree.root, `node_modules/@platform/${name}-svc`);
    mkdirSync(join(link, ".."), { recursive: true });
    if (!existsSync(link)) symlinkSync(`../../apps/${name}-svc`, link);
  };
}

function fill(text: string, { name, pascal, upper, port }: ServiceNames): string {
  return text
    .replaceAll("__name__", name)
    .replaceAll("__Name__", pascal)
    .replaceAll("__NAME__", upper)
    .replaceAll("__port__", `${port}`)
    .replaceAll("__serverProbes__", `${port + 30}`)
    .replaceAll("__workerProbes__", `${port + 50}`);
}
