import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { email, integer, isUuid, normalizeDateTime, uri, uuid } from "./formats.ts";
import { validate } from "./violations.ts";

const codeOf = (result: ReturnType<typeof validate>) => (result.ok ? "ok" : result.violations[0]?.code);

describe("uuid", () => {
  it.each([
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ])("accepts %s as a uuid", (value) => {
    expect(validate(uuid, value)).toEqual({ ok: true, value });
  });

  it("accepts a UUID in upper case, and converts it to lower case", () => {
    const value = "01890A5D-AC96-774B-BCCE-B302099A8057";
    expect(validate(uuid, value)).toEqual({ ok: true, value: value.toLowerCase() });
    expect(isUuid(value)).toBe(true);
  });

  it.each([
    "",
    "01890a5d-ac96-774b-bcce-b302099a805",
    "01890a5d-ac96-774b-bcce-b302099a80577",
    "01890a5dac96774bbcceb302099a8057",
    "{01890a5d-ac96-774b-bcce-b302099a8057}",
    "urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057",
    "01890a5d-ac96-774b-bcce-b302099a8057\n",
    "g1890a5d-ac96-774b-bcce-b302099a8057",
  ])("refuses %j as a uuid", (value) => {
    expect(codeOf(validate(uuid, value))).toBe("invalid_format");
  });
});

describe("email", () => {
  it.each([
    "a@b.co",
    "first.last+tag@sub.example.com",
    "o'neil@example.co.uk",
    "UPPER@EXAMPLE.COM",
    "用户@例え.jp",
    "x@xn--r8jz45g.jp",
    "1@2.three",
    '"abc..def"@docomo.example',
    '"john smith"@example.com',
    '"a@b"@example.com',
    '"a\\"b\\\\c"@example.com',
    '"用 户"@例え.jp',
    `"${"a".repeat(62)}"@example.com`,
    `"${".".repeat(306)}"@example.com`,
  ])("accepts the address %s", (value) => {
    expect(validate(email(320), value)).toEqual({ ok: true, value });
  });

  it.each([
    "",
    "a",
    "@b.co",
    "a@",
    "a@b",
    "a@@b.co",
    "a@b@c.co",
    ".a@b.co",
    "a.@b.co",
    "a..b@c.co",
    "a b@c.co",
    "a@b..co",
    "a@-b.co",
    "a@b-.co",
    "a@b.co.",
    " a@b.co",
    "a@b.co\n",
    "a@b.co\r\nBcc: x@y.co",
    "a\0@b.co",
    "Name <a@b.co>",
    "a@[127.0.0.1]",
    "a\ud83d@b.co",
    '"abc"def@b.co',
    '"abc@b.co',
    '"a"b"@b.co',
    '"a\\"@b.co',
    '"a>b"@b.co',
    '"a\r\nBcc: x@y.co"@b.co',
    '"a"@b',
  ])("refuses the address %j", (value) => {
    expect(codeOf(validate(email(320), value))).toBe("invalid_format");
  });

  it("refuses a quoted address of 321 characters", () => {
    const value = `"${".".repeat(307)}"@example.com`;
    expect(codeOf(validate(email(320), value))).toBe("too_long");
  });

  it("trims an email address before validation only if the option is set", () => {
    expect(validate(email(6, { trim: true }), " a@b.co\t")).toEqual({ ok: true, value: "a@b.co" });
    expect(codeOf(validate(email(320), " a@b.co"))).toBe("invalid_format");
  });
});

describe("uri", () => {
  it.each(["https://example.com", "http://127.0.0.1:8080/a?b=c#d", "app.example:/callback", "https://[::1]/%E4%BE%8B"])(
    "accepts the URI %s",
    (value) => {
      expect(codeOf(validate(uri(2048), value))).toBe("ok");
    },
  );

  it.each([
    "",
    "example.com",
    "https://例え.jp",
    "/relative",
    "//example.com/a",
    "https://",
    "https://exa mple.com",
    " https://example.com",
    "https://example.com\n",
    "https://example.com:99999",
    "1https://example.com",
    "https://exam\0ple.com",
  ])("refuses the URI %j", (value) => {
    expect(codeOf(validate(uri(2048), value))).toBe("invalid_format");
  });

  it("passes a URI on as it was sent", () => {
    expect(validate(uri(2048), "HTTPS://Example.com:443/a/../b")).toEqual({
      ok: true,
      value: "HTTPS://Example.com:443/a/../b",
    });
  });
});

describe("date-time", () => {
  it.each([
    ["2026-07-01T09:30:00Z", "2026-07-01T09:30:00.000Z"],
    ["2026-07-01T09:30:00.5Z", "2026-07-01T09:30:00.500Z"],
    ["2026-07-01T09:30:00.123456789Z", "2026-07-01T09:30:00.123Z"],
    ["2026-07-01T09:30:00+09:00", "2026-07-01T00:30:00.000Z"],
    ["2026-01-01T00:00:00+05:45", "2025-12-31T18:15:00.000Z"],
    ["2026-12-31T23:59:59-00:30", "2027-01-01T00:29:59.000Z"],
    ["2026-07-01t09:30:00z", "2026-07-01T09:30:00.000Z"],
    ["2026-07-01T09:30:00-00:00", "2026-07-01T09:30:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2017-01-01T08:59:60+09:00", "2017-01-01T00:00:00.000Z"],
  ])("normalizes the time %s to %s", (sent, normalized) => {
    expect(normalizeDateTime(sent)).toBe(normalized);
  });

  it.each([
    "2026-07-01T09:30:00",
    "2026-07-01",
    "2026-07-01 09:30:00Z",
    "2026-07-01T09:30Z",
    "2026-07-01T09:30:00+0900",
    "2026-07-01T09:30:00+24:00",
    "2026-07-01T09:30:00+09:60",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-07-01T24:00:00Z",
    "2026-07-01T09:60:00Z",
    "2026-07-01T09:30:61Z",
    "2026-07-01T09:30:60Z",
    "2026-07-01T09:30:00.Z",
    "0000-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "+002026-07-01T09:30:00.000Z",
    "2026-07-01T09:30:00Z\n",
    "1782898200",
    "",
  ])("refuses the time %j", (value) => {
    expect(normalizeDateTime(value)).toBeNull();
  });

  it("preserves every instant of the years 0000 to 9999 at any offset", () => {
    const minutes = fc.integer({ min: -1439, max: 1439 });
    const instants = fc.date({
      min: new Date("0000-01-02T00:00:00Z"),
      max: new Date("9999-12-30T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, minutes, (instant, offset) => {
        const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const two = (number: number) => String(number).padStart(2, "0");
        const absolute = Math.abs(offset);
        const sign = offset < 0 ? "-" : "+";
        const sent = `${local}${sign}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
        expect(normalizeDateTime(sent)).toBe(instant.toISOString());
        expect(normalizeDateTime(instant.toISOString())).toBe(instant.toISOString());
      }),
    );
  });
});

describe("integer", () => {
  it.each([
    ["5", "ok"],
    ["5.0", "ok"],
    ["5e0", "ok"],
    ["-0", "ok"],
    ["1.5", "invalid_type"],
    ["1e-7", "invalid_type"],
    ["1e400", "invalid_type"],
    ["-1e400", "invalid_type"],
    ["9007199254740991", "ok"],
    ["9007199254740992", "too_big"],
    ["-9007199254740991", "ok"],
    ["-9007199254740992", "too_small"],
    ["1e300", "too_big"],
    ['"5"', "invalid_type"],
    ["true", "invalid_type"],
    ["null", "invalid_type"],
    ["[5]", "invalid_type"],
  ])("validates %s as %s", (json, code) => {
    expect(codeOf(validate(integer(), JSON.parse(json)))).toBe(code);
  });
});
