import { newId } from "@platform/kit/process/secrets";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { Machine } from "@platform/operator-plane/machines";
import { type ConsumerPositionModel, noteStream, noteStreamEnd } from "../store/consumer-positions.ts";

/** Interval at which a consumer's stream is recorded as open, and how long such a record is valid, in milliseconds. */
const noteEveryMs = 10_000;
const openMs = 30_000;

/** The open stream of a consumer. While it is open, events after its start position are not removed. */
export type HeldPosition = { end(): Promise<void> };

/**
 * Records that a consumer's stream is open, even while its reader reads nothing.
 * @param start the position after which it started, and whether the consumer presented it
 * @param sentTo returns the last position that was sent
 */
export async function holdPosition(
  positions: ConsumerPositionModel,
  consumer: Machine,
  start: { readonly position: number; readonly isPresented: boolean },
  { sentTo, clock, logger }: { sentTo(): number; clock(): Date; logger: Pick<ServerCall["logger"], "warn"> },
): Promise<HeldPosition> {
  const stream = { id: newId().replaceAll("-", ""), consumer, ...start };
  const note = (): Promise<void> => {
    const now = clock();
    return noteStream(positions, stream, { sentTo: sentTo(), openUntil: new Date(now.getTime() + openMs), now });
  };
  await note();
  let noting: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    noting = note().catch((error: unknown) =>
      logger.warn({ err: error }, "the start of a consumer's stream could not be recorded"),
    );
  }, noteEveryMs);
  return {
    end: async () => {
      clearInterval(timer);
      await noting;
      // Without this write, the stream would count as open for up to another half minute.
      await noteStreamEnd(positions, stream).catch((error: unknown) =>
        logger.warn({ err: error }, "the end of a consumer's stream could not be recorded"),
      );
    },
  };
}
