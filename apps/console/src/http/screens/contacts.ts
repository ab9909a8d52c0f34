import { contacts as table } from "@platform/contracts/operator/contacts";
import { screenOf } from "../resource-screen.ts";
import type { Screen } from "../screen.ts";

export const contacts: Screen = screenOf(table);
