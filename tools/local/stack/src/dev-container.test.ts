import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stackPorts } from "./ports.ts";

test("forwards every port of the default stack that a browser outside the dev container opens", () => {
  const path = join(import.meta.dirname, "../../../../.devcontainer/devcontainer.json");
  const { forwardPorts } = JSON.parse(readFileSync(path, "utf8"));
  const { gateway, console, oidcProvider, prometheus, alertmanager, sinkHttp } = stackPorts(8_080);
  expect(forwardPorts.toSorted()).toEqual(
    [gateway, console, oidcProvider, prometheus, alertmanager, sinkHttp].toSorted(),
  );
});
