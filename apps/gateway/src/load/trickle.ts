/** Answers that cost their receiver nothing leave at a bounded rate: whoever asks again and again for a refusal waits for it. */
export type Trickle = {
  /** Null when the answer may leave at once, else when its turn comes. */
  turn(): null | Promise<void>;
};

const beatMs = 5;

/** @param perBeat answers in each 5 ms */
export function createTrickle(perBeat: number): Trickle {
  let queue: (() => void)[] = [];
  let room = perBeat;
  let isBeating = false;
  const beat = (): void => {
    const released = queue.slice(0, perBeat);
    queue = queue.slice(perBeat);
    room = perBeat - released.length;
    for (const release of released) release();
    isBeating = room < perBeat;
    if (isBeating) setTimeout(beat, beatMs).unref();
  };
  return {
    turn: () => {
      if (!isBeating) {
        isBeating = true;
        setTimeout(beat, beatMs).unref();
      }
      if (room > 0) {
        room -= 1;
        return null;
      }
      return new Promise((resolve) => void queue.push(resolve));
    },
  };
}
