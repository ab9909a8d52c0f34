import { suppressions as table } from "@platform/contracts/operator/suppressions";
import { screenOf } from "../resource-screen.ts";
import type { Screen } from "../screen.ts";

export const suppressions: Screen = screenOf(table);
