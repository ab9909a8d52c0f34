import { describe, expect, test } from "vitest";
import { html, type SafeHtml } from "./html.ts";

const text = (fragment: SafeHtml): string => fragment.text;

describe("html", () => {
  test("escapes every value, in content and in quoted attributes", () => {
    const hostile = `"><script>alert('1')</script>&amp;`;
    expect(text(html`<a title="${hostile}">${hostile}</a>`)).toBe(
      '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
        "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</a>",
    );
  });

  test("does not escape the output of html again, even in lists", () => {
    const items = ["<b>", html`<i>${"&"}</i>`].map((item) => html`<li>${item}</li>`);
    expect(text(html`<ul>${items}</ul>`)).toBe("<ul><li>&lt;b&gt;</li><li><i>&amp;</i></li></ul>");
  });

  test("writes nothing for null, undefined and false, but writes zero and the empty string", () => {
    expect(text(html`[${null}${undefined}${false}${0}${""}]`)).toBe("[0]");
  });

  test("escapes an object that imitates the output of html", () => {
    expect(text(html`${{ text: "<b>" } as unknown as string}`)).toBe("[object Object]");
  });
});
