import type { FileContentType } from "../domain/file-object.ts";
import type { ImageSettings } from "../domain/image-preset.ts";
import type { Inspection } from "./inspect-file.ts";

/** A task for a child process, which executes one at a time. */
export type InspectorTask =
  | { readonly kind: "inspect"; readonly path: string; readonly contentType: FileContentType }
  | { readonly kind: "render"; readonly source: string; readonly target: string; readonly settings: ImageSettings };

/** Result of the inspection. */
export type InspectorReply =
  | { readonly kind: "inspected"; readonly inspection: Inspection }
  | { readonly kind: "rendered" }
  | { readonly kind: "failed"; readonly message: string };
