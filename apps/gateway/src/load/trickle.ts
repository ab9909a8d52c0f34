/** Answers that cost their receiver nothing leave at a bounded rate: whoever asks again and again for a refusal waits for it. */
export type Trickle = {
  /** Null when the answer may leave at once, else when its turn comes. */
  turn(): null | Promise<void>;
};

const beatMs = 5;

/** Beats that a late timer makes up for at once, at most. */
const beatsMax = 20;

/** @param perBeat answers in each 5 ms */
export function createTrickle(perBeat: number): Trickle {
  let queue: (() => void)[] = [];
  let room = perBeat;
  let isBeating = false;
  let lastMs = 0;
  const beat = (): void => {
    const nowMs = performance.now();
    const most = Math.round(perBeat * Math.min(beatsMax, Math.max(1, (nowMs - lastMs) / beatMs)));
    const released = queue.slice(0, most);
    queue = queue.slice(most);
    room = Math.max(0, perBeat - released.length);
    for (const release of released) release();
    isBeating = released.length > 0 || queue.length > 0;
    lastMs = nowMs;
    if (isBeating) setTimeout(beat, beatMs).unref();
  };
  return {
    turn: () => {
      if (!isBeating) {
        isBeating = true;
        room = perBeat;
        lastMs = performance.now();
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
