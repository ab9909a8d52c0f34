import { members as table } from "@platform/contracts/operator/members";
import { screenOf } from "../resource-screen.ts";

export const members = screenOf(table);
