import { createECDH } from "node:crypto";
import { expect, it } from "vitest";
import { decryptMessage } from "./decrypt-message.ts";

/** The example of RFC 8291, section 5 and appendix A. */
const ecdh = createECDH("prime256v1");
ecdh.setPrivateKey("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "base64url");
const subscription = {
  endpoint: "",
  ecdh,
  auth: Buffer.from("BTBZMqHH6r4Tts7J_aSIgg", "base64url"),
  applicationServerKey: null,
};
const body = Buffer.from(
  "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  "base64url",
);

it("decrypts the example of RFC 8291", () => {
  expect(decryptMessage(subscription, body).toString()).toBe("When I grow up, I want to be a watermelon");
});

it("refuses a changed byte", () => {
  const changed = Buffer.from(body);
  changed[100] = (changed[100] ?? 0) ^ 1;
  expect(() => decryptMessage(subscription, changed)).toThrow();
});

it.each([
  ["a cut header", body.subarray(0, 20), /shorter than/],
  ["a cut sender key", body.subarray(0, 50), /P-256 public key/],
  ["no record", body.subarray(0, 86), /shorter than its tag/],
  [
    "a record size below the smallest",
    Buffer.concat([body.subarray(0, 16), Buffer.from([0, 0, 0, 17]), body.subarray(20)]),
    /record size/,
  ],
  [
    "more than one record",
    Buffer.concat([body.subarray(0, 16), Buffer.from([0, 0, 0, 20]), body.subarray(20)]),
    /more than one record/,
  ],
])("refuses %s", (_name, bytes, message) => {
  expect(() => decryptMessage(subscription, bytes)).toThrow(message);
});
