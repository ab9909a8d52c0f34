/** A file of a package as `npm pack --json` lists it. */
export type PackedFile = { readonly path: string; readonly size: number };

/** Permitted contents of a published package. */
type Contents = {
  readonly files: readonly RegExp[];
  /** Maximum number of bytes of all files together, unpacked. */
  readonly bytesMax: number;
};

const always = [/^package\.json$/, /^README\.md$/, /^CHANGELOG\.md$/, /^LICENSE$/];

/** The packages that are published, by their names. */
const published: Readonly<Record<string, Contents>> = {
  "@platform/client": { files: [...always, /^generated\/.*\.(js|d\.ts)$/], bytesMax: 500_000 },
  "@platform/platformctl": {
    files: [...always, /^platformctl\.js$/, /^mcp\.js$/, /^proto\/.*\.proto$/, /^docs\/.*\.md$/],
    bytesMax: 4_000_000,
  },
};

/** Returns the problems in the contents of a package: files that are useless to its users, or too many bytes. */
export function contentsProblems(name: string, files: readonly PackedFile[]): string[] {
  const contents = published[name];
  if (contents === undefined) return [`${name} is not published`];
  const strange = files.filter(({ path }) => !contents.files.some((pattern) => pattern.test(path)));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return [
    ...strange.map(({ path }) => `${name} carries ${path}, which nobody who installs it needs`),
    ...(bytes > contents.bytesMax ? [`${name} has ${bytes} bytes unpacked, more than ${contents.bytesMax}`] : []),
  ];
}
