import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { writeGuide } from "./check-guide.ts";
import { writeKit } from "./console-kit/build-kit.ts";
import { repositoryRoot } from "./source-files.ts";

// Regenerates all committed generated files: the lines that list services, messages from proto files, OpenAPI
// and the error reference from the operation table, the client from OpenAPI, the page of operator RPCs, the dashboards
// from their panels, the console's part of its UI kit, the verdicts on benchmarks from their reports, and the guide to
// other languages from the programs that `make test-clients` runs.
execFileSync(process.execPath, ["tools/checks/src/rendered/render-services.ts"], {
  cwd: repositoryRoot,
  stdio: "inherit",
});
const bin = join(repositoryRoot, "node_modules/.bin");
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
execFileSync(join(bin, "buf"), ["generate"], { cwd: join(repositoryRoot, "proto"), stdio: "inherit", env });
execFileSync(process.execPath, ["apps/gateway/src/openapi/write-openapi.ts"], {
  cwd: repositoryRoot,
  stdio: "inherit",
});
execFileSync(process.execPath, ["libs/client/generate.ts"], { cwd: repositoryRoot, stdio: "inherit" });
execFileSync(process.execPath, ["tools/checks/src/operator-rpcs.ts"], { cwd: repositoryRoot, stdio: "inherit" });
execFileSync(process.execPath, ["tools/checks/src/dashboards/build-dashboards.ts"], {
  cwd: repositoryRoot,
  stdio: "inherit",
});
execFileSync(process.execPath, ["tools/proofs/bench/src/verdicts/write-page.ts"], {
  cwd: repositoryRoot,
  stdio: "inherit",
});
await writeKit();
writeGuide();
