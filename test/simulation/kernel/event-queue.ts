import type { Process } from './process.ts';

export interface Event {
  atMs: number;
  /** Drawn from the seed: what falls on one instant happens in an order nobody promised. */
  readonly tie: number;
  readonly number: number;
  readonly run: () => void;
  readonly process: Process | undefined;
  cancelled: boolean;
}

/** A binary heap; equal instants in the order of their ties. */
export interface EventQueue {
  push(event: Event): void;
  /** @returns the next event that happens by `untilMs`, removed; undefined when there is none */
  popUntil(untilMs: number): Event | undefined;
  readonly nextAtMs: number;
}

export function createEventQueue(): EventQueue {
  const heap: Event[] = [];
  const pop = (): Event | undefined => {
    const top = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) sink(heap, last);
    return top;
  };
  return {
    push(event) {
      heap.push(event);
      rise(heap, heap.length - 1);
    },
    popUntil: (untilMs) => {
      while (heap[0]?.cancelled) pop();
      return heap[0] !== undefined && heap[0].atMs <= untilMs ? pop() : undefined;
    },
    get nextAtMs() {
      return heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
    },
  };
}

const isBefore = (left: Event, right: Event): boolean =>
  left.atMs !== right.atMs ? left.atMs < right.atMs : left.tie !== right.tie ? left.tie < right.tie : left.number < right.number;

function rise(heap: Event[], from: number): void {
  const event = heap[from] as Event;
  let index = from;
  while (index > 0) {
    const above = (index - 1) >> 1;
    if (!isBefore(event, heap[above] as Event)) break;
    heap[index] = heap[above] as Event;
    index = above;
  }
  heap[index] = event;
}

function sink(heap: Event[], event: Event): void {
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const smaller = right < heap.length && isBefore(heap[right] as Event, heap[left] as Event) ? right : left;
    if (!isBefore(heap[smaller] as Event, event)) break;
    heap[index] = heap[smaller] as Event;
    index = smaller;
  }
  heap[index] = event;
}
