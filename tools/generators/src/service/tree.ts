/** What of Nx's virtual file tree is used here. Nothing is written before the generator has ended well. */
export type Tree = {
  readonly root: string;
  exists(path: string): boolean;
  read(path: string, encoding: "utf-8"): string | null;
  write(path: string, content: string): void;
  children(folder: string): string[];
};
