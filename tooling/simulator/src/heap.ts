/** What is to happen at a time; of two at the same time, the one that was asked for first. */
export interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A binary heap: the earliest event first. */
export interface Heap {
  push(event: Event): void;
  peek(): Event | undefined;
  pop(): Event | undefined;
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export function createHeap(): Heap {
  const items: Event[] = [];

  function sift(event: Event): void {
    let index = 0;
    for (let child = 1; child < items.length; child = 2 * index + 1) {
      const left = items[child] as Event;
      const right = items[child + 1];
      const least = right && before(right, left) ? child + 1 : child;
      if (!before(items[least] as Event, event)) break;
      items[index] = items[least] as Event;
      index = least;
    }
    items[index] = event;
  }

  return {
    push(event) {
      let index = items.length;
      items.push(event);
      for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
        if (!before(event, items[parent] as Event)) break;
        items[index] = items[parent] as Event;
        index = parent;
      }
      items[index] = event;
    },
    peek: () => items[0],
    pop() {
      const first = items[0];
      const last = items.pop();
      if (last && items.length > 0) sift(last);
      return first;
    },
  };
}
