import { expect, it } from "vitest";
import { type FiringAlert, groupAlerts } from "./firing-alert.ts";

const alert = (name: string, severity: string, minute: number, summary = `${name} ${minute}`): FiringAlert => ({
  name,
  severity,
  summary,
  runbookUrl: null,
  since: new Date(Date.UTC(2026, 2, 1, 10, minute)),
});

it("groups the alerts of a rule, with the time at which the first of them started", () => {
  const [group, ...others] = groupAlerts([alert("ProcessDown", "page", 9), alert("ProcessDown", "page", 3)]);
  expect(others).toEqual([]);
  expect(group).toMatchObject({ name: "ProcessDown", summaries: ["ProcessDown 3", "ProcessDown 9"] });
  expect(group?.since).toEqual(new Date("2026-03-01T10:03:00Z"));
});

it("shows one sentence for several alerts of a rule that have the same text", () => {
  const same = "Redis cannot be reached";
  expect(groupAlerts([alert("RedisDown", "page", 1, same), alert("RedisDown", "page", 2, same)])[0]?.summaries).toEqual(
    [same],
  );
});

it("groups at most 200 alerts, and omits the least severe ones if there are more", () => {
  const infos = Array.from({ length: 201 }, (_, index) => alert("Info", "info", 0, `info ${index}`));
  const summaries = (alerts: readonly FiringAlert[]) => groupAlerts(alerts).map((group) => group.summaries.length);
  expect(summaries(infos.slice(1))).toEqual([200]);
  expect(summaries([...infos, alert("Page", "page", 9)])).toEqual([1, 199]);
});

it("sorts by severity and then by age, with unknown severities last", () => {
  const alerts = [
    alert("Unknown", "warning", 0),
    alert("Info", "info", 1),
    alert("NewPage", "page", 5),
    alert("Ticket", "ticket", 2),
    alert("OldPage", "page", 4),
  ];
  expect(groupAlerts(alerts).map(({ name }) => name)).toEqual(["OldPage", "NewPage", "Ticket", "Info", "Unknown"]);
});
