import { serviceNames } from "@platform/kit/rpc/server";
import { expect, test } from "vitest";
import { erasingServices } from "./erasures.ts";

test("asks every service to erase its data, so that an erasure is not done while one of them keeps some", () => {
  expect([...erasingServices].sort()).toEqual([...serviceNames].sort());
});

test("does not change the indexes of the services in stored erasures", () => {
  expect(erasingServices.slice(0, 5)).toEqual(["identity", "notify", "events", "files", "ads"]);
});
