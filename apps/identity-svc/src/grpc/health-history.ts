import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import { callerGuard, implement } from "@platform/kit/rpc/server";
import { HealthHistoryService } from "@platform/proto/identity/v1/health_history";
import type { IdentityContext } from "../identity-context.ts";
import { type ComponentState, componentStates } from "../store/health-days.ts";

/** Number of minutes in a day. */
const minutesMax = 1_440;
const componentsMax = 50;
const daysKept = 90;

/** RPCs by which consoles record the history of the status page and read it. */
export function healthHistory({ healthDays, clock }: Pick<IdentityContext, "healthDays" | "clock">) {
  return implement(
    HealthHistoryService,
    {
      recordHealth: async ({ minutes }) => {
        if (minutes.length > minutesMax) throw violation(`minutes must have at most ${minutesMax} items`);
        for (const { at, states } of minutes) {
          const entries = Object.entries(states);
          if (at === undefined || entries.length > componentsMax || !entries.every(isState))
            throw violation(`a minute must have a time and the states of at most ${componentsMax} components`);
          await healthDays.addMinute(timestampDate(at), states as Readonly<Record<string, ComponentState>>);
        }
        return {};
      },
      listHealthDays: async () => ({
        days: (await healthDays.list(clock(), daysKept)).map(({ day, components }) => ({
          day,
          components: [...components],
        })),
      }),
    },
    callerGuard("console"),
  );
}

const isState = ([name, state]: readonly [string, string]): boolean =>
  /^[a-z][a-z0-9-]{0,40}$/.test(name) && (componentStates as readonly string[]).includes(state);

const violation = (message: string): ServiceError => new ServiceError("contract_violation", message);
