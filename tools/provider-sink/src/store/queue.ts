/**
 * A first-in first-out list with cheap removal at the front. `Array.shift` copies the whole array, and a `Set` leaves holes over which its iterator has to
 * step. Both become slow when the store evicts a message for each new one.
 */
export class Queue<Item> {
  #items: Item[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    // Compacting once half of the items are removed keeps the average cost per removal constant.
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  at(position: number): Item | undefined {
    return position < 0 ? undefined : this.#items[this.#head + position];
  }

  /** Iterates over the items from the given position (0 is the oldest), oldest first. */
  from(position: number): Item[] {
    return this.#items.slice(this.#head + Math.max(0, position));
  }

  /** Returns the position of the first item for which `isAfter` is true. The items must be in that order. */
  firstPosition(isAfter: (item: Item) => boolean): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[this.#head + middle];
      if (item !== undefined && isAfter(item)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
