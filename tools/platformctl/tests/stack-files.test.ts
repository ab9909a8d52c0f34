import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const bin = resolve(import.meta.dirname, "../bin/platformctl.js");

test.each([
  ["login --as owner", "operators.env", "MEMBER_OWNER_PASSWORD=gr\xfcn\n"],
  ["demo seed", "demo.env", "BASE_URL=http://127.0.0.1:8080\nPROJECT_CLIENT_ID=gr\xfcn\n"],
])("%s rejects a file of the local stack that is not UTF-8 (replacement characters)", async (command, name, text) => {
  const folder = mkdtempSync(join(tmpdir(), "stack-"));
  writeFileSync(join(folder, "stack.env"), "IDENTITY_GRPC=127.0.0.1:1\n");
  writeFileSync(join(folder, name), Buffer.from(text, "latin1"));
  const env = { PATH: process.env.PATH, PLATFORMCTL_HOME: join(folder, "home"), STACK_DIR: folder };
  const printed = await new Promise<string>((done) => {
    execFile(process.execPath, [bin, ...command.split(" ")], { cwd: folder, env }, (_error, _stdout, stderr) =>
      done(stderr),
    );
  });
  expect(printed).toMatch(new RegExp(`^platformctl: usage: STACK_DIR .*${name}: line \\d is not UTF-8`));
});
