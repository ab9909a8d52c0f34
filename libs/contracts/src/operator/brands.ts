import { BrandAdminService, BrandSchema } from "@platform/proto/identity/v1/brand_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = BrandAdminService.method;

const name = {
  field: "name",
  label: "Name",
  explanation: "name of the project as people know it, 1 to 60 characters",
  maxLength: 60,
} as const;
const logo = {
  field: "logoUrl",
  label: "Logo",
  explanation: "the URL of a Public Asset that the project has published from an image; shown 32 pixels high",
  kind: "url",
  placeholder: "url",
} as const;
const colour = {
  field: "colour",
  label: "Colour",
  explanation: "colour of buttons as #rrggbb; its contrast to white text must be at least 4.5",
  placeholder: "#rrggbb",
  maxLength: 7,
} as const;
const terms = {
  field: "termsUrl",
  label: "Terms of use",
  explanation: "an https URL",
  kind: "url",
  placeholder: "url",
} as const;
const privacy = {
  field: "privacyUrl",
  label: "Privacy policy",
  explanation: "an https URL",
  kind: "url",
  placeholder: "url",
} as const;

export const brands = resource({
  name: "brands",
  noun: "brand",
  title: "Brands",
  row: BrandSchema,
  id: "projectClientId",
  subject: { field: "projectClientId", option: "client", explanation: "Project Client id" },
  paths: { list: "/brands" },
  above: ["Projects", "/clients"],
  named: "name",
  columns: [
    { field: "projectClientId", title: "Project", kind: "id", page: "/brands" },
    { field: "name", title: "Name" },
    { field: "logoUrl", title: "Logo", isNullIfEmpty: true },
    { field: "colour", title: "Colour", isNullIfEmpty: true },
    { field: "termsUrl", title: "Terms of use", isNullIfEmpty: true },
    { field: "privacyUrl", title: "Privacy policy", isNullIfEmpty: true },
    { field: "revision", title: "Revision" },
    { field: "createdAt", title: "Created", kind: "time" },
  ],
  shown: {
    list: ["name", "projectClientId", "colour", "createdAt"],
    page: ["logoUrl", "colour", "termsUrl", "privacyUrl", "revision", "createdAt"],
    question: ["name", "projectClientId"],
  },
  operations: [
    operation({
      verb: "create",
      rpc: rpcs.createBrand,
      does: "create",
      summary: "Create a brand for a project: the name, logo, colour and links that its hosted pages and emails show.",
      notice: "The brand is created. The project's pages and emails show it now.",
      fields: [{ ...projectClient, isRequired: true }, { ...name, isRequired: true }, logo, colour, terms, privacy],
      example: '--client <client id> --name "Acme Shop" --colour "#1d4ed8" --privacy-url https://shop.example/privacy',
    }),
    operation({
      verb: "list",
      rpc: rpcs.listBrands,
      does: "list",
      summary: "List the brands of all projects, newest first.",
      empty: "No project has a brand, so all hosted pages show the platform's brand. Operators can create one here.",
    }),
    operation({ verb: "show", rpc: rpcs.showBrand, does: "show", summary: "Show the brand of a project." }),
    operation({
      verb: "replace",
      rpc: rpcs.replaceBrand,
      does: "act",
      summary: "Replace the brand of a project. A logo, colour or link that you leave out is removed.",
      title: "Change",
      button: "Change the brand",
      notice: "The brand is changed.",
      fields: [{ ...name, isRequired: true }, logo, colour, terms, privacy],
      example: '--client <client id> --name "Acme Shop" --colour "#0f766e"',
    }),
    operation({
      verb: "delete",
      rpc: rpcs.deleteBrand,
      does: "act",
      summary: "Delete the brand of a project. Its pages and emails then show the platform's brand.",
      button: "Delete the brand",
      notice: "The brand is deleted. The project's pages and emails show the platform's brand now.",
      isDanger: true,
      isRemoval: true,
    }),
  ],
});
