import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Env, run } from "./commands.ts";

const version = "4.32.5";

/** Sends requests generated from the document's schemas, and checks that every response is documented. */
export function runSchemathesis(folder: string, openapi: string, env: Env) {
  return {
    "is installed": async () => {
      mkdirSync(folder, { recursive: true });
      await run("python3", ["-m", "venv", "venv"], { cwd: folder });
      await run("venv/bin/pip", ["install", "-q", `schemathesis==${version}`], { cwd: folder });
    },
    // A request with valid data can still fail, because its ids must exist. The check positive_data_acceptance is
    // therefore omitted.
    "finds nothing": async () => {
      const report = await run(
        "venv/bin/schemathesis",
        [
          "run",
          openapi,
          "--url",
          `${env.BASE_URL}/api/v1`,
          "--header",
          `Authorization: Bearer ${env.PROJECT_CREDENTIAL}`,
          "--checks",
          "all",
          "--exclude-checks",
          "positive_data_acceptance",
          "--max-examples",
          "20",
          "--seed",
          "39",
          "--continue-on-failure",
        ],
        { cwd: folder },
      );
      writeFileSync(join(folder, "report.txt"), report);
    },
  };
}
