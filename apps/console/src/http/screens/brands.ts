import { brands as table } from "@platform/contracts/operator/brands";
import { screenOf } from "../resource-screen.ts";

export const brands = screenOf(table);
