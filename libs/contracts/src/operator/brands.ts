import { BrandAdminService, BrandSchema } from "@platform/proto/identity/v1/brand_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = BrandAdminService.method;

const name = {
  field: "name",
  label: "Name",
  explanation: "what people call the project, 1 to 60 characters",
  maxLength: 60,
} as const;
const logo = {
  field: "logoUrl",
  label: "Logo",
  explanation: "url of a Public Asset, which the project publishes from an image; shown 32 pixels high",
  kind: "url",
  placeholder: "url",
} as const;
const colour = {
  field: "colour",
  label: "Colour",
  explanation: "#rrggbb of buttons; white text on it needs a contrast of 4.5",
  placeholder: "#rrggbb",
  maxLength: 7,
} as const;
const terms = {
  field: "termsUrl",
  label: "Terms of use",
  explanation: "https address",
  kind: "url",
  placeholder: "url",
} as const;
const privacy = {
  field: "privacyUrl",
  label: "Privacy policy",
  explanation: "https address",
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
  paths: { list: "/brands", one: "/brands" },
  above: ["Projects", "/clients"],
  named: "name",
  columns: [
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/brands" },
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
      summary: "Give a client's hosted pages and emails a name, and a logo, a colour and links of its own.",
      notice: "The pages have the brand now.",
      fields: [{ ...projectClient, isRequired: true }, { ...name, isRequired: true }, logo, colour, terms, privacy],
      example: '--client <client id> --name "Acme Shop" --colour "#1d4ed8" --privacy-url https://shop.example/privacy',
    }),
    operation({
      verb: "list",
      rpc: rpcs.listBrands,
      does: "list",
      summary: "List the brands of all clients, newest first.",
      empty: "No client has a brand, so that all hosted pages have the platform's. An operator creates one here.",
    }),
    operation({ verb: "show", rpc: rpcs.showBrand, does: "show", summary: "Show the brand of a client." }),
    operation({
      verb: "replace",
      rpc: rpcs.replaceBrand,
      does: "act",
      summary: "Replace the brand of a client. A logo, a colour or a link that is left out is taken away.",
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
      summary: "Delete the brand of a client, whose pages have the platform's from then on.",
      button: "Delete the brand",
      notice: "The pages have the platform's brand now.",
      isDanger: true,
      isRemoval: true,
    }),
  ],
});
