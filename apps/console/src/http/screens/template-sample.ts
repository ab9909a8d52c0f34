import { Liquid } from "liquidjs";

const options = {
  templates: {},
  ownPropertyOnly: true,
  dynamicPartials: false,
  renderLimit: 200,
  memoryLimit: 4 * 1024 * 1024,
};
const plain = new Liquid(options);
const escaping = new Liquid({ ...options, outputEscape: "escape" });

/** Returns a sample value for a variable's type. */
export function sampleOf(name: string, type: string): string {
  if (type === "integer") return "42";
  return type === "number" ? "3.5" : `[${name}]`;
}

/**
 * Renders a part of a template with values, using the same library as notify-svc. If it cannot be rendered, the error
 * is shown.
 */
export function renderSample(
  { variables }: { readonly variables: Readonly<Record<string, string>> },
  part: string,
  source: string,
  values: Readonly<Record<string, string>>,
): string {
  const scope = Object.fromEntries(
    Object.entries(variables).map(([name, type]) => [name, type === "string" ? values[name] : Number(values[name])]),
  );
  try {
    return String((part === "html" ? escaping : plain).parseAndRenderSync(source, scope));
  } catch (error) {
    return `This cannot be rendered: ${(error as Error).message}`;
  }
}
