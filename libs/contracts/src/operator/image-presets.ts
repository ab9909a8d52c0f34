import { FilesAdminService, ImagePresetSchema } from "@platform/proto/files/v1/files_admin";
import { operation, resource } from "./resource.ts";

const rpcs = FilesAdminService.method;
const side = { placeholder: "pixels", range: [1, 16_383], isRequired: true } as const;

export const imagePresets = resource({
  name: "image-presets",
  noun: "image preset",
  title: "Image presets",
  row: ImagePresetSchema,
  subject: { field: "imagePresetId", option: "preset", explanation: "image preset id" },
  paths: { list: "/files/presets" },
  above: ["Files", "/files"],
  columns: [
    { field: "id", title: "Image preset", kind: "id" },
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
        "Approve a preset. If the name exists with other settings, this creates a new revision under the same id: assets that are published later get a new version, and existing URLs stay valid.",
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
          explanation: "format of the published image: jpeg, png, webp or avif",
          choices: ["jpeg", "png", "webp", "avif"],
          isRequired: true,
        },
        {
          field: "maxWidth",
          label: "Maximum width",
          explanation: "in pixels; larger images are scaled down, smaller ones are not scaled up",
          ...side,
        },
        {
          field: "maxHeight",
          label: "Maximum height",
          explanation: "in pixels; larger images are scaled down, smaller ones are not scaled up",
          ...side,
        },
        {
          field: "quality",
          label: "Quality",
          explanation: "1 to 100; ignored for png",
          placeholder: "1-100",
          range: [1, 100],
          isRequired: true,
        },
        {
          field: "background",
          label: "Background",
          explanation:
            "background colour of transparent pixels (default: none, but white in jpeg, which has no transparency)",
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
      empty: "There are no approved presets, so no image can be published. Operators can approve one here.",
    }),
  ],
});
