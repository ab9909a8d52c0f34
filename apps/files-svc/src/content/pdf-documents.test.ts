import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { PDFDocument, PDFName, PDFString } from "@cantoo/pdf-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspectFile } from "./inspect-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-"));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function inspect(bytes: Uint8Array | string): Promise<string | null> {
  files += 1;
  const path = join(folder, `${files}.pdf`);
  await writeFile(path, typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  return (await inspectFile(path, "application/pdf")).rejectionReason;
}

type Make = () => string | Uint8Array | Promise<string | Uint8Array>;

/**
 * A hand-written document with a cross-reference table. `catalog` is inserted into its catalog. The numbers of the
 * further objects start at 4.
 */
function handMade(catalog: string, ...objects: string[]): string {
  const bodies = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Annots [4 0 R] >>",
    ...objects,
  ];
  let text = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";
  const offsets = bodies.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = bodies.length + 1;
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  return `${text}${xref}trailer\n<< /Root 1 0 R /Size ${size} >>\nstartxref\n${text.length}\n%%EOF\n`;
}
const stream = (content: string, dictionary = ""): string =>
  `<< /Length ${content.length} ${dictionary} >>\nstream\n${content}\nendstream`;
const packed = (content: string, dictionary: string): string =>
  stream(deflateSync(Buffer.from(content, "latin1")).toString("latin1"), `/Filter /FlateDecode ${dictionary}`);
const objectStream = (content: string): string => packed(`9 0 ${content}`, "/Type /ObjStm /N 1 /First 4");
const update = (body: string): string =>
  `${handMade("")}9 0 obj\n${body}\nendobj\ntrailer\n<< /Root 1 0 R /Size 10 >>\nstartxref\n0\n%%EOF\n`;

type Security = Parameters<PDFDocument["encrypt"]>[0];

/** A document with one link, written by a library. `action` is the action of the link. */
async function written(
  action: Record<string, unknown>,
  { useObjectStreams = true, security }: { useObjectStreams?: boolean; security?: Security } = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([200, 200]);
  const { context } = document;
  const link = { Type: "Annot", Subtype: "Link", Rect: [0, 0, 9, 9], A: action };
  page.node.set(PDFName.of("Annots"), context.obj([context.register(context.obj(link))]));
  document.setTitle("All about /JavaScript and /Launch");
  if (security !== undefined) document.encrypt(security);
  return document.save({ useObjectStreams });
}
const toGuide = () => ({ S: "URI", URI: PDFString.of("https://example.com/JavaScript /Launch (now)") });
const script = () => ({ S: "JavaScript", JS: PDFString.of("app.alert(1)") });
const program = () => ({ S: "Launch", F: PDFString.of("cmd.exe") });
const ownerOnly: Security = { ownerPassword: "the owner", permissions: { copying: false } };

describe("a harmless PDF", () => {
  const honest: [string, Make][] = [
    ["with the word in a link", () => handMade("", "<< /A << /S /URI /URI (https://x.example/ /JavaScript ) >> >>")],
    ["with the word escaped in a link", () => handMade("", "<< /A << /URI (https://x.example/ /J#61vaScript ) >> >>")],
    ["with the word in text that is not packed", () => handMade("", stream("BT (Learn /JavaScript now) Tj ET"))],
    ["with the word in packed text", () => handMade("", packed("BT (Learn /JavaScript now) Tj ET", ""))],
    ["with the word in a title", () => handMade("", "<< /Title (The /JavaScript handbook) >>")],
    ["with the word in a title with nested brackets", () => handMade("", "<< /Title (A \\) (b /Launch ) c) >>")],
    [
      "with the word in an outline",
      () => handMade("/Outlines 4 0 R", "<< /First 5 0 R >>", "<< /Title (/JavaScript ) >>"),
    ],
    [
      "with the word in its metadata",
      () => handMade("/Metadata 4 0 R", stream("<x>/JavaScript /XFA </x>", "/Type /Metadata")),
    ],
    ["with the word in packed metadata", () => handMade("/Metadata 4 0 R", packed("<x>/JavaScript </x>", ""))],
    ["with the word in a comment", () => handMade("", "<< /A 1 % /JavaScript \n >>")],
    ["with the word in an object stream's text", () => handMade("", objectStream("<< /Title (/JavaScript ) >>"))],
    ["with the word in an incremental update's text", () => update("<< /Title (/JavaScript ) >>")],
    [
      "with a form without scripts",
      () => handMade("/AcroForm << /Fields [4 0 R] >>", "<< /FT /Tx /T (JS) /V (/Launch ) >>"),
    ],
    ["with a tooltip about scripts", () => handMade("", "<< /Contents (see /JS and /JavaScript ) >>")],
    ["with a hexadecimal text", () => handMade("", "<< /Title <2f4a617661536372697074> >>")],
    ["with a name that only begins like one", () => handMade("", "<< /JavaScripting 1 /Launcher 2 /XFAx 3 >>")],
    ["with the word as a destination", () => handMade("/Dests << /chapter#20JavaScript [3 0 R /Fit] >>", "<< >>")],
    ["with an attached text", () => handMade("", stream("console.log('/JavaScript ')", "/Type /EmbeddedFile"))],
    ["with cross-reference and object streams", () => written(toGuide())],
    ["without object streams", () => written(toGuide(), { useObjectStreams: false })],
    ["with an owner's password only", () => written(toGuide(), { security: ownerOnly })],
    [
      "with an owner's password only, without object streams",
      () => written(toGuide(), { security: ownerOnly, useObjectStreams: false }),
    ],
  ];
  it.each(honest)("accepts a PDF %s", async (_what, make) => {
    expect(await inspect(await make())).toBeNull();
  });
});

const ciphers = ["rc4-40", "rc4-128", "aes-128", "aes-256"];
const stored = (name: string): URL => new URL(`../../tests/pdfs/${name}.pdf`, import.meta.url);

describe.each(ciphers)("a linearized PDF that another writer encrypted by %s with an owner's password", (cipher) => {
  it("accepts a PDF with a link", async () => {
    expect(await inspect(await readFile(stored(`link-${cipher}`)))).toBeNull();
  });
  it("rejects a PDF with a program", async () => {
    expect(await inspect(await readFile(stored(`launch-${cipher}`)))).toBe("pdf_unsafe");
  });
});

describe("a PDF with a script or a program", () => {
  const js = "<< /S /JavaScript /JS (app.alert(1)) >>";
  const launch = "<< /S /Launch /F (cmd.exe) >>";
  const malicious: [string, Make][] = [
    ["a script on opening", () => handMade(`/OpenAction ${js}`, "<< >>")],
    ["a program on opening", () => handMade(`/OpenAction ${launch}`, "<< >>")],
    ["a script of a link", () => handMade("", `<< /A ${js} >>`)],
    ["a program of a link", () => handMade("", `<< /A ${launch} >>`)],
    ["an escaped script", () => handMade("", "<< /A << /S /J#61va#53cript /#4aS (x) >> >>")],
    ["an escaped program", () => handMade("", "<< /A << /S /L#61unc#68 /F (x) >> >>")],
    ["an additional action of the document", () => handMade(`/AA << /WC ${js} >>`, "<< >>")],
    [
      "an additional action of a field",
      () => handMade("/AcroForm << /Fields [4 0 R] >>", `<< /FT /Tx /AA << /K ${js} >> >>`),
    ],
    ["a script in the tree of names", () => handMade("/Names << /JavaScript << /Names [(a) 4 0 R] >> >>", js)],
    ["an action whose type is another object", () => handMade("", "<< /A << /S 5 0 R /JS (x) >> >>", "/JavaScript")],
    ["an action behind a text with an odd bracket", () => handMade("", `<< /Title (a \\( b) /A ${js} >>`)],
    ["an action behind a comment with a bracket", () => handMade("", `<< % (\n /A ${js} >>`)],
    ["a script in an object stream", () => handMade("", objectStream(js))],
    ["a program in an object stream", () => handMade("", objectStream(launch))],
    ["an escaped script in an object stream", () => handMade("", objectStream("<< /S /J#61vaScript >>"))],
    ["a script behind a word that ends objects", () => handMade("", objectStream(`1 endobj stream ${js}`))],
    [
      "an object inside a text of an object stream",
      () => handMade("", packed(`9 4 ((( ${js} )))`, "/Type /ObjStm /N 1 /First 4")),
    ],
    ["a script in an incremental update", () => update(`<< /A ${js} >>`)],
    ["an object inside another object's text", () => handMade("", `<< /Title (x 9 0 obj ${js} endobj ) >>`)],
    ["an object inside a stream", () => handMade("", stream(`9 0 obj\n${js}\nendobj`))],
    ["a form with scripts (XFA)", () => handMade("/AcroForm << /XFA 4 0 R >>", stream("<x/>"))],
    ["a script of a rendition", () => handMade("", "<< /A << /S /Rendition /JS (x) >> >>")],
    ["rich media", () => handMade("", "<< /Subtype /RichMedia >>")],
    ["a script of a 3D model", () => handMade("", "<< /Type /3D /OnInstantiate 5 0 R >>", stream("x"))],
    ["a script in object streams of a library", () => written(script())],
    ["a script under an owner's password", () => written(script(), { security: ownerOnly })],
    ["a program under an owner's password", () => written(program(), { security: ownerOnly })],
    [
      "a script under an owner's password, not packed",
      () => written(script(), { security: ownerOnly, useObjectStreams: false }),
    ],
    [
      "what only a password opens",
      () => written(toGuide(), { security: { ...ownerOnly, userPassword: "the user's" } }),
    ],
    [
      "an encryption that is none",
      () => handMade("", "<< /Filter /Own /V 9 >>").replace("trailer\n<<", "trailer\n<< /Encrypt 4 0 R"),
    ],
  ];
  it.each(malicious)("refuses a PDF with %s", async (_what, make) => {
    expect(await inspect(await make())).toBe("pdf_unsafe");
  });
});
