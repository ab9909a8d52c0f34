import { create } from "@bufbuild/protobuf";
import { CampaignSchema } from "@platform/proto/ads/v1/ads_admin";
import { ScheduledOperationSchema } from "@platform/proto/events/v1/events_admin";
import { OperatorPublicAssetSchema } from "@platform/proto/files/v1/file_object_admin";
import { PlatformAccountSchema } from "@platform/proto/identity/v1/identity_admin";
import { OperatorEndpointSchema } from "@platform/proto/notify/v1/endpoint_admin";
import { expect, it } from "vitest";
import { cellValue, rowOf } from "./row-values.ts";

const campaign = create(CampaignSchema, {
  id: "c",
  budgetMinor: 9007199254740991n,
  chargedMinor: 1n,
  startsAt: { seconds: 1_800_000_000n, nanos: 5_000_000 },
});

it("uses the names of proto as keys, in the order of the columns, with null for absent values", () => {
  const columns = [
    { field: "budgetMinor", title: "Budget" },
    { key: "remaining_minor", difference: ["budgetMinor", "chargedMinor"] },
    { field: "startsAt", title: "Starts" },
    { field: "endsAt", title: "Ends" },
    { field: "projectClientId", title: "Project Client" },
  ] as const;
  expect(JSON.stringify(rowOf(CampaignSchema, columns, campaign))).toBe(
    '{"budget_minor":9007199254740991,"remaining_minor":9007199254740990,"starts_at":"2027-01-15T08:00:00.005Z","ends_at":null,"project_client_id":null}',
  );
});

it("returns null for an empty text only if the column declares it", () => {
  const columns = [
    { field: "name", title: "Name", isNullIfEmpty: true },
    { field: "currency", title: "Currency" },
  ] as const;
  expect(rowOf(CampaignSchema, columns, campaign)).toEqual({ name: null, currency: "" });
});

it("prints a text that contains JSON as JSON, and 0 or nothing if the column declares it", () => {
  const columns = [
    { field: "name", title: "Name", kind: "json" },
    { field: "currency", title: "Currency", kind: "json" },
    { field: "endsAt", title: "Ends", isZeroIfAbsent: true },
    { field: "status", title: "Status", isOmittedFor: "active" },
  ] as const;
  const odd = create(CampaignSchema, { name: '{"a":1}', status: "active" });
  expect(rowOf(CampaignSchema, columns, odd)).toEqual({ name: { a: 1 }, currency: null, ends_at: 0 });
  expect(rowOf(CampaignSchema, columns, create(CampaignSchema, { status: "paused" }))).toMatchObject({
    status: "paused",
  });
  expect(cellValue(CampaignSchema, columns[0], odd)).toBe('{"a":1}');
});

it("prints a field of the last message or of every message in a list, and a word instead of a time", () => {
  const columns = [
    { field: "takenDownAt", key: "status", title: "Status", words: ["taken_down", "published"], isWordPrinted: true },
    { field: "versions", key: "version", title: "Version", last: "version", isZeroIfAbsent: true },
    { field: "versions", key: "url", title: "Latest URL", last: "url" },
    { field: "versions", key: "urls", title: "URLs", each: "url" },
    { field: "versions", key: "created_at", title: "Published", kind: "time", last: "createdAt" },
  ] as const;
  const at = { seconds: 1_800_000_000n, nanos: 0 };
  const versions = [
    { version: 1, url: "https://a.example/1" },
    { version: 2, url: "https://a.example/2", createdAt: at },
  ];
  const asset = create(OperatorPublicAssetSchema, { versions });
  expect(rowOf(OperatorPublicAssetSchema, columns, asset)).toEqual({
    status: "published",
    version: 2,
    url: "https://a.example/2",
    urls: ["https://a.example/1", "https://a.example/2"],
    created_at: "2027-01-15T08:00:00.000Z",
  });
  expect(columns.map((column) => cellValue(OperatorPublicAssetSchema, column, asset))).toEqual([
    ...["published", 2, "https://a.example/2", "https://a.example/1 https://a.example/2", "2027-01-15T08:00:00.000Z"],
  ]);
  expect(rowOf(OperatorPublicAssetSchema, columns, create(OperatorPublicAssetSchema, { takenDownAt: at }))).toEqual({
    status: "taken_down",
    version: 0,
    url: null,
    urls: [],
    created_at: null,
  });
});

it("prints the times of a field as an array", () => {
  const times = [1_800_000_000n, 1_800_000_060n].map((seconds) => ({ seconds, nanos: 0 }));
  const operation = create(ScheduledOperationSchema, { nextDueTimes: times });
  const column = { field: "nextDueTimes", title: "Next due times", kind: "time" } as const;
  expect(rowOf(ScheduledOperationSchema, [column], operation)).toEqual({
    next_due_times: ["2027-01-15T08:00:00.000Z", "2027-01-15T08:01:00.000Z"],
  });
  expect(cellValue(ScheduledOperationSchema, column, operation)).toBe(
    "2027-01-15T08:00:00.000Z 2027-01-15T08:01:00.000Z",
  );
});

it("omits columns that are only for pages", () => {
  const columns = [
    { field: "id", title: "Campaign" },
    { field: "projectClientId", title: "Project Client", isOnPagesOnly: true },
  ] as const;
  expect(rowOf(CampaignSchema, columns, campaign)).toEqual({ id: "c" });
});

const endpoint = create(OperatorEndpointSchema, {
  id: "e",
  consents: [
    { purpose: "news", granted: true },
    { purpose: "offers", granted: false },
  ],
});
const consents = {
  field: "consents",
  title: "Consent",
  columns: [
    { field: "purpose", title: "Purpose" },
    { field: "granted", title: "Consent", words: ["granted", "withdrawn"] },
  ],
} as const;

it("prints the messages in a field as rows, and as a single text in a cell", () => {
  expect(rowOf(OperatorEndpointSchema, [consents], endpoint)).toEqual({
    consents: [
      { purpose: "news", granted: true },
      { purpose: "offers", granted: false },
    ],
  });
  expect(cellValue(OperatorEndpointSchema, consents, endpoint)).toBe("news: granted, offers: withdrawn");
});

it("omits the key of an absent value only if the column declares it", () => {
  const columns = [
    { field: "address", title: "Address", isLeftOutIfAbsent: true },
    { field: "lastErrorCode", title: "Error" },
  ] as const;
  expect(rowOf(OperatorEndpointSchema, columns, endpoint)).toEqual({ last_error_code: null });
  const revealed = { ...endpoint, address: "ann@people.example" };
  expect(rowOf(OperatorEndpointSchema, columns, revealed)).toEqual({
    address: "ann@people.example",
    last_error_code: null,
  });
});

it("omits an absent optional value from a cell that prints messages", () => {
  const columns = [
    { field: "email", title: "Revealed address", isLeftOutIfAbsent: true },
    { field: "addressHint", title: "Address" },
    { field: "verifiedAt", title: "Verified", kind: "state", words: ["verified", "not verified"] },
  ] as const;
  const column = { field: "loginIdentifiers", title: "Addresses", columns } as const;
  const addressHint = "a…@x.example";
  const masked = create(PlatformAccountSchema, { loginIdentifiers: [{ addressHint }] });
  const revealed = create(PlatformAccountSchema, { loginIdentifiers: [{ email: "ann@x.example", addressHint }] });
  expect(cellValue(PlatformAccountSchema, column, masked)).toBe("a…@x.example: not verified");
  expect(cellValue(PlatformAccountSchema, column, revealed)).toBe("ann@x.example: a…@x.example");
});
