import { html } from "@platform/kit/web/http";
import { expect, test } from "vitest";
import { pageWithin } from "./within-project.ts";

const id = "0197a000-0000-7000-8000-000000000001";

test("changes links and forms so that they stay within the project", () => {
  const page = html`<a href="/deliveries?client=${id}">x</a><form action="/members/new"></form><a href="/">y</a>`.text;
  expect(pageWithin(id, page)).toBe(
    `<a href="/projects/${id}/deliveries?client=${id}">x</a><form action="/projects/${id}/members/new"></form><a href="/projects/${id}">y</a>`,
  );
});

test("does not change links within a project and links to other hosts", () => {
  const page = html`<link href="/assets/kit.css"><form action="/sign-out"></form><a href="/status">s</a>
<a href="/projects/${id}/events">e</a><a href="https://example.com/a">o</a><a href="#content">c</a>`.text;
  expect(pageWithin(id, page)).toBe(page);
});

test("changes a link to the list of all projects into one to the person's own projects", () => {
  expect(pageWithin(id, html`<a href="/clients">x</a><a href="/clients/${id}">y</a>`.text)).toBe(
    `<a href="/projects">x</a><a href="/projects/${id}/clients/${id}">y</a>`,
  );
});

test("does not change user content, even if it looks like a link", () => {
  const page = html`<p>${'<a href="/clients">'}</p>`.text;
  expect(pageWithin(id, page)).toBe(page);
});
