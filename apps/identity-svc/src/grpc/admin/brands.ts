import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { invalidRequest, revisionConflict } from "@platform/operator-plane/operators";
import { BrandAdminService } from "@platform/proto/identity/v1/brand_admin";
import {
  type Brand,
  brandColourProblem,
  brandLinkProblem,
  brandLogoProblem,
  brandNameLengthMax,
} from "../../domain/brand.ts";
import type { IdentityContext } from "../../identity-context.ts";
import type { StoredBrand } from "../../store/brands.ts";
import { projectClientNotFound, requireText } from "./refuse.ts";

/** RPCs by which operators set the brand of a Project Client. */
export function brandServices(context: IdentityContext): ServedService[] {
  const { brands, publicBaseUrl } = context;
  const requireBrand = async (clientId: string): Promise<StoredBrand> => {
    const brand = await brands.find(clientId);
    if (brand !== null) return brand;
    if ((await context.clients.find(clientId)) === null) throw projectClientNotFound();
    throw new ServiceError("brand_not_found", "This Project Client has no brand: its pages have the platform's.");
  };
  const implementation: Implementation<typeof BrandAdminService> = {
    createBrand: async ({ projectClientId, ...parts }) => {
      if ((await context.clients.find(projectClientId)) === null) throw projectClientNotFound();
      if (!(await brands.insert(projectClientId, checked(parts, publicBaseUrl), context.clock()))) {
        throw invalidRequest("/project_client_id", "has a brand; replace that one");
      }
      return { brand: brandMessage(await requireBrand(projectClientId)) };
    },
    listBrands: async (page) => {
      const { items, nextCursor } = await brands.list(page);
      return { brands: items.map(brandMessage), nextCursor };
    },
    showBrand: async ({ projectClientId }) => ({ brand: brandMessage(await requireBrand(projectClientId)) }),
    replaceBrand: async ({ projectClientId, revision, ...parts }) => {
      const current = await requireBrand(projectClientId);
      const replaced = await brands.replace(
        projectClientId,
        checked(parts, publicBaseUrl),
        revision ?? current.revision,
      );
      if (replaced === null) throw revisionConflict("brand", (await requireBrand(projectClientId)).revision);
      return { brand: brandMessage(replaced) };
    },
    deleteBrand: async ({ projectClientId }) => {
      if ((await context.clients.find(projectClientId)) === null) throw projectClientNotFound();
      await brands.delete(projectClientId);
      return {};
    },
  };
  return [implementForOperators(BrandAdminService, implementation)];
}

type Parts = { readonly [K in "name" | "logoUrl" | "colour" | "termsUrl" | "privacyUrl"]: string };

/** Returns the brand in the form that is stored, with null for each empty part. */
function checked({ name, logoUrl, colour, termsUrl, privacyUrl }: Parts, publicBaseUrl: string): Brand {
  const part = (path: string, text: string, problemOf: (text: string) => string | null): string | null => {
    if (text === "") return null;
    const problem = problemOf(text);
    if (problem !== null) throw invalidRequest(path, problem);
    return text;
  };
  return {
    name: requireText("/name", name, brandNameLengthMax),
    logo_url: part("/logo_url", logoUrl, (text) => brandLogoProblem(text, publicBaseUrl)),
    colour: part("/colour", colour, brandColourProblem),
    terms_url: part("/terms_url", termsUrl, brandLinkProblem),
    privacy_url: part("/privacy_url", privacyUrl, brandLinkProblem),
  };
}

function brandMessage(brand: StoredBrand) {
  const { logo_url, colour, terms_url, privacy_url } = brand;
  return {
    projectClientId: brand.project_client_id,
    name: brand.name,
    ...defined({ logoUrl: logo_url, colour, termsUrl: terms_url, privacyUrl: privacy_url }),
    revision: brand.revision,
    createdAt: timestampFromDate(brand.created_at),
  };
}
