import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createCtl } from "./ctl.ts";
import { findLocalStack } from "./local-stack.ts";
import { UsageError } from "./usage-error.ts";

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "checkout-"));
  mkdirSync(join(checkout, ".local"));
  mkdirSync(join(checkout, "apps"));
  writeFileSync(join(checkout, ".local", "stack.env"), "STACK_PORT_BASE=9000\nOPERATOR_TOKEN=of-the-stack\n");
});

test("finds the stack of its own checkout from any folder inside it", () => {
  for (const folder of [checkout, join(checkout, "apps")])
    expect(findLocalStack({}, folder, checkout)).toMatchObject({
      directory: join(checkout, ".local"),
      isNamed: false,
    });
});

test("ignores the .local of a folder outside its own checkout", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
  mkdirSync(join(elsewhere, ".local"));
  writeFileSync(join(elsewhere, ".local", "stack.env"), "IDENTITY_GRPC=attacker.example:1\n");
  expect(findLocalStack({}, elsewhere, checkout)).toBeNull();
  expect(findLocalStack({}, `${checkout}-next`, checkout)).toBeNull();
  expect(findLocalStack({}, join(checkout, ".."), checkout)).toBeNull();
  expect(findLocalStack({}, checkout, null)).toBeNull();
});

test("trusts the folder that STACK_DIR names, wherever it is", () => {
  const stack = findLocalStack({ STACK_DIR: join(checkout, ".local") }, tmpdir(), null);
  expect(stack?.isNamed).toBe(true);
  expect(stack?.settings.get("STACK_PORT_BASE")).toBe("9000");
});

test("sends a found stack its own token and not the token of the environment", async () => {
  const env = { OPERATOR_TOKEN: "of-production", PLATFORMCTL_HOME: checkout };
  const ctl = await createCtl(env, () => ({}), findLocalStack({}, checkout, checkout));
  expect(ctl.operatorToken()).toBe("of-the-stack");
});

test("sends the token of the environment to an address of the environment and to a stack that STACK_DIR names", async () => {
  const env = { OPERATOR_TOKEN: "of-production", PLATFORMCTL_HOME: checkout };
  const given = { ...env, IDENTITY_GRPC: "identity.example:443" };
  expect((await createCtl(given, () => ({}), findLocalStack({}, checkout, checkout))).operatorToken()).toBe(
    "of-production",
  );
  const named = findLocalStack({ STACK_DIR: join(checkout, ".local") }, checkout, null);
  expect((await createCtl(env, () => ({}), named)).operatorToken()).toBe("of-production");
});

test("refuses to send a consumer token of the environment to a found stack, and explains how to allow it", async () => {
  const env = { CONSUMER_TOKEN: "of-production", PLATFORMCTL_HOME: checkout };
  const ctl = await createCtl(env, () => ({}), findLocalStack({}, checkout, checkout));
  expect(() => ctl.consumerConnection()).toThrow(UsageError);
  expect(() => ctl.consumerConnection()).toThrow(`STACK_DIR=${join(checkout, ".local")}`);
});

test("uses nothing from a found stack if a context is chosen", async () => {
  const contexts = "contexts:\n  production:\n    IDENTITY_GRPC: identity.example:443\n";
  writeFileSync(join(checkout, "config.yaml"), contexts);
  const env = { OPERATOR_TOKEN: "of-production", PLATFORMCTL_HOME: checkout };
  const ctl = await createCtl(env, () => ({ context: "production" }), findLocalStack({}, checkout, checkout));
  expect(ctl.setting("STACK_PORT_BASE")).toBeUndefined();
  expect(ctl.operatorToken()).toBe("of-production");
});
