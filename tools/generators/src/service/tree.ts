/** What of Nx's virtual file tree is used here. Nothing is written before the generator has ended well. */
export type Tree = {
  readonly root: string;
  exists(path: string): boolean;
  read(path: string, encoding: "utf-8"): string | null;
  write(path: string, content: string): void;
  children(folder: string): string[];
};

/** Names of a new service in the forms that texts need, and its gRPC port. */
export type ServiceNames = {
  /** `payments` */
  readonly name: string;
  /** `Payments` */
  readonly pascal: string;
  /** `PAYMENTS` */
  readonly upper: string;
  readonly port: number;
};
