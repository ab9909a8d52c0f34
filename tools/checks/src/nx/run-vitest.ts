import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "../source-files.ts";
import { reportPath } from "./test-report.ts";

// One ring of one project's tests, as a target of Nx: `run-vitest.ts <ring> <folder of the project>`.
const [ring = "", folder = ""] = process.argv.slice(2);
const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath(ring, folder)}`];
const { status, signal } = spawnSync(process.execPath, [vitest, "run", "--project", ring, ...reporters, `${folder}/`], {
  cwd: repositoryRoot,
  stdio: "inherit",
});
if (signal !== null) console.log(`vitest was ended by ${signal}`);
process.exitCode = status ?? 1;
