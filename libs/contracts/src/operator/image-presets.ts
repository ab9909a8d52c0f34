import { FilesAdminService, ImagePresetSchema } from "@platform/proto/files/v1/files_admin";
import { operation, resource } from "./resource.ts";

const rpcs = FilesAdminService.method;
const side = { placeholder: "pixels", range: [1, 16_383], isRequired: true } as const;

export const imagePresets = resource({
  name: "image-presets",
  noun: "image preset",
  title: "Image presets",
  row: ImagePresetSchema,
  subject: { field: "imagePresetId", option: "preset", explanation: "id of the image preset" },
  paths: { list: "/files/presets", one: "/files/presets" },
  above: ["Files", "/files"],
  columns: [
    { field: "id", title: "Image preset", kind: "code" },
    { field: "name", title: "Name" },
    { field: "format", title: "Format" },
    { field: "maxWidth", title: "Width" },
    { field: "maxHeight", title: "Height" },
    { field: "quality", title: "Quality" },
    { field: "background", title: "Background", isNullIfEmpty: true },
    { field: "revision", title: "Revision" },
  ],
  shown: {
    list: ["name", "id", "format", "maxWidth", "maxHeight", "quality", "background", "revision"],
    page: [],
    question: [],
  },
  operations: [
    operation({
      verb: "create",
      rpc: rpcs.createImagePreset,
      does: "create",
      summary:
        "Approve a preset. The same name with other settings creates a new revision under the same id; assets published after that get a new version, and older URLs stay.",
      title: "Approve a preset",
      button: "Approve the preset",
      notice: "The preset is approved.",
      prints: ["id"],
      fields: [
        {
          field: "name",
          label: "Name",
          explanation: "lower-case letters, digits, dots, underscores and hyphens",
          isRequired: true,
        },
        {
          field: "format",
          label: "Format",
          explanation: "of the published image: jpeg, png, webp or avif",
          choices: ["jpeg", "png", "webp", "avif"],
          isRequired: true,
        },
        {
          field: "maxWidth",
          label: "Maximum width",
          explanation: "images are scaled down to fit, never up",
          ...side,
        },
        {
          field: "maxHeight",
          label: "Maximum height",
          explanation: "images are scaled down to fit, never up",
          ...side,
        },
        {
          field: "quality",
          label: "Quality",
          explanation: "1 to 100; png ignores it",
          placeholder: "1-100",
          range: [1, 100],
          isRequired: true,
        },
        {
          field: "background",
          label: "Background",
          explanation: "what shows through transparent pixels (default: white in jpeg, which has no transparency)",
          placeholder: "#rrggbb",
        },
      ],
      example: "--name avatar --format webp --max-width 512 --max-height 512 --quality 80",
    }),
    operation({
      verb: "list",
      rpc: rpcs.listImagePresets,
      does: "list",
      summary: "List the approved presets, oldest first.",
      prints: "array",
      empty: "No preset is approved, so no image can be published. An operator approves one here.",
    }),
  ],
});
