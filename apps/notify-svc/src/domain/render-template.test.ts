import { describe, expect, it } from "vitest";
import { checkTemplate, RenderedTooLarge, renderTemplate, TemplateInvalid } from "./render-template.ts";
import type { Template } from "./template.ts";
import { allowedFilters } from "./template-engine.ts";

const base: Template = {
  key: "k",
  channel: "email",
  locale: "en",
  subject: "Hello {{ name }}",
  text: "Dear {{ name }}",
  html: "<p title='{{ name }}'>Dear {{ name }}</p>",
  push: null,
  mail: null,
  variables: { name: "string" },
};
const rendered = (name: string, more: Partial<Template> = {}) => renderTemplate({ ...base, ...more }, { name });

describe("a hostile value of a variable", () => {
  it("keeps line breaks and control characters of a value out of the subject (header injection)", () => {
    const { subject } = rendered("Ann\r\nBcc: all@people.example\n\0\u2028\u0085x");
    expect(subject).toBe("Hello Ann Bcc: all@people.example x");
  });

  it("renders a value that looks like Liquid as text (template injection)", () => {
    const attack = "{{ 7 | times: 7 }}{% if true %}x{% endif %}{{ name }}";
    expect(rendered(attack).text).toBe(`Dear ${attack}`);
  });

  it("escapes a value in the HTML part, in text and in quoted attributes (HTML injection)", () => {
    expect(rendered(`<script>alert("x")</script>'&`).html).toBe(
      "<p title='&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&#39;&amp;'>" +
        "Dear &lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&#39;&amp;</p>",
    );
  });

  it.each(["name.constructor", "name.__proto__", "constructor", "name['constructor']"])(
    "rejects %s in a template, and renders nothing for it (prototype access)",
    (path) => {
      const template = { ...base, html: null, text: `[{{ ${path} }}]` };
      expect(() => checkTemplate(template)).toThrow(TemplateInvalid);
      expect(() => renderTemplate(template, { name: "x" })).toThrow(/undefined variable/);
    },
  );

  it("accepts a variable called __proto__", () => {
    const variables = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const declared = JSON.parse('{"__proto__":"string"}') as Template["variables"];
    const template = { ...base, html: null, subject: "s", text: "[{{ __proto__ }}]", variables: declared };
    expect(renderTemplate(template, variables).text).toBe("[x]");
  });
});

describe("filters in the HTML part", () => {
  const html = (expression: string, name: string, more: Partial<Template> = {}) => {
    const template = { ...base, html: `<p>{{ ${expression} }}</p>`, ...more };
    checkTemplate(template);
    return renderTemplate(template, { name }).html;
  };

  it.each([
    ["name | escape", "Tom & Jerry", "Tom &amp; Jerry"],
    ["name | escape | escape", "Tom & Jerry", "Tom &amp; Jerry"],
    ["name | escape_once", "Tom &amp; <Jerry>", "Tom &amp; &lt;Jerry&gt;"],
    ["name | escape | upcase", "Tom & Jerry", "TOM &amp; JERRY"],
    ["name | escape | append: '!'", "Tom & Jerry", "Tom &amp; Jerry!"],
    ["name | escape | truncate: 8", "Tom & Jerry", "Tom &amp;..."],
    ["name | newline_to_br", "a <b>\r\nc & d\n", "a &lt;b&gt;<br />\nc &amp; d<br />\n"],
    ["name | escape | newline_to_br", "a & b\nc", "a &amp; b<br />\nc"],
    ["name | newline_to_br | escape", "a & b\nc", "a &amp; b<br />\nc"],
    ["name | strip_html", "<b>Tom</b> & Jerry", "Tom &amp; Jerry"],
    ["name | strip_html | newline_to_br", "<b>a</b>\nb", "a<br />\nb"],
    ["name | url_encode", "a&b=<c>", "a%26b%3D%3Cc%3E"],
    ["name | url_encode | url_decode", "a&b <c>", "a&amp;b &lt;c&gt;"],
    ["name", "&amp;", "&amp;amp;"],
    ["name", "a\ufdd0b", "a\ufffdb"],
    ["name | default: '<i>'", "", "&lt;i&gt;"],
  ])("renders {{ %s }} of %j without escaping twice", (expression, name, expected) => {
    expect(html(expression, name)).toBe(`<p>${expected}</p>`);
  });

  const attack = `"><script>alert('&lt;')</script>\n&lt;img src=x onerror=1&gt;&#34;\ufdd0<svg/onload=1>`;
  /** Calls of each filter with arguments that include the attacker's value. */
  const calls = [...allowedFilters].flatMap((name) => {
    const args: Record<string, readonly string[]> = {
      append: ["name", "'<b>'"],
      prepend: ["name", "'<b>'"],
      replace: ["'s', name", "'&lt;', '<'", "name, '<b>'", "'lt;', '<'"],
      default: ["name"],
      truncate: ["9", "9, name"],
      truncatewords: ["2", "1, name"],
      date: ["name", "'<%Y>'"],
      at_least: ["1"],
      at_most: ["1"],
      divided_by: ["2"],
      minus: ["1"],
      modulo: ["2"],
      plus: ["name"],
      round: ["1"],
      times: ["2"],
    };
    return (args[name] ?? [null]).map((given) => (given === null ? name : `${name}: ${given}`));
  });

  it("keeps an attacker's value escaped through every allowed filter and every chain of two (cross-site scripting)", () => {
    const markup = new Set<string>();
    for (const first of calls) {
      for (const second of ["", ...calls]) {
        const expression = `name | ${first}${second === "" ? "" : ` | ${second}`}`;
        let rendered: string | null;
        try {
          rendered = html(expression, attack, { html: `{{ ${expression} }}` });
        } catch (error) {
          // Some chains of filters fail on text, for example those that expect a number or a date.
          expect(error).not.toBeInstanceOf(TemplateInvalid);
          continue;
        }
        for (const [found] of (rendered ?? "").replaceAll("<br />", "").matchAll(/[<>"']/g)) {
          markup.add(`${found} by ${expression}`);
        }
      }
    }
    expect([...markup]).toEqual([]);
  });

  it.each([
    "raw",
    "json",
    "jsonify",
    "inspect",
    "split: ','",
    "join",
    "map: 'x'",
    "concat: name",
    "xml_escape",
    "base64_decode",
  ])("refuses a template that uses the filter %s after escape", (filter) => {
    expect(() => html(`name | escape | ${filter}`, "x")).toThrow(TemplateInvalid);
  });

  it("outputs a raw block of the template verbatim, without replacing variables in it", () => {
    expect(html("name", "<i>", { html: "{% raw %}<b>{{ name }}</b>{% endraw %}{{ name }}" })).toBe(
      "<b>{{ name }}</b>&lt;i&gt;",
    );
  });

  it("escapes in the text part and the subject only if the template asks for it", () => {
    const text = "{{ name | escape }} {{ name }}";
    expect(rendered("Tom & Jerry", { text, subject: "{{ name }}" })).toMatchObject({
      text: "Tom &amp; Jerry Tom & Jerry",
      subject: "Tom & Jerry",
    });
  });
});

describe("the size of a rendered message", () => {
  it("renders fifty of the longest strings into an email", () => {
    const names = Array.from({ length: 50 }, (_, index) => `v${index}`);
    const template = {
      ...base,
      subject: "s",
      text: names.map((name) => `{{ ${name} }}`).join(""),
      variables: Object.fromEntries(names.map((name) => [name, "string" as const])),
      html: null,
    };
    const variables = Object.fromEntries(names.map((name) => [name, "字".repeat(5000)]));
    expect(renderTemplate(template, variables).text).toHaveLength(250_000);
  });

  it("refuses a rendered subject that is too long for a header", () => {
    expect(() => rendered("x".repeat(5000))).toThrow(RenderedTooLarge);
  });

  it.each(["fcm", "apns", "web_push"] as const)(
    "%s: refuses a push that is larger than its provider accepts",
    (channel) => {
      const push = { channel, html: null, subject: "t" };
      expect(() => rendered("x".repeat(3600), push)).toThrow(RenderedTooLarge);
      expect(rendered("x".repeat(3000), push).text).toHaveLength(3005);
    },
  );

  it("limits a LINE message to 5000 characters", () => {
    const line = { channel: "line" as const, html: null, subject: "" };
    expect(() => rendered("x".repeat(5000), line)).toThrow(RenderedTooLarge);
    expect(rendered("x".repeat(4000), line).text).toHaveLength(4005);
  });
});

describe("the contents of a template", () => {
  const check = (text: string) => () => checkTemplate({ ...base, html: null, text });

  it.each([
    ["a loop", "{% for i in (1..1000000) %}x{% endfor %}"],
    ["a partial from disk", "{% include '/etc/passwd' %}"],
    ["a rendered partial", "{% render 'secret' %}"],
    ["a layout", "{% layout 'x' %}"],
    ["an assignment", "{% assign a = name %}{{ a }}"],
    ["a capture", "{% capture a %}x{% endcapture %}{{ a }}"],
    ["the filter that takes a value out of escaping", "{{ name | raw }}"],
    ["an unknown filter", "{{ name | shout }}"],
    ["a variable it does not declare", "{{ other }}"],
    ["a broken tag", "{% if name %}"],
    ["a broken output", "{{ name "],
  ])("refuses a template with %s", (_what, text) => {
    expect(check(text)).toThrow(TemplateInvalid);
  });

  it("accepts a template with conditions and simple filters", () => {
    const text = "{% if name == 'Ann' %}Hi {{ name | upcase }}{% else %}Hello{% endif %}";
    expect(check(text)).not.toThrow();
    expect(rendered("Ann", { text }).text).toBe("Hi ANN");
  });
});
