/** Tells whoever listens what happens in the simulation. Listeners look and judge; they change nothing. */
export type Signals<Listeners extends object> = {
  readonly [Name in keyof Listeners]-?: (
    ...given: Listeners[Name] extends ((...given: infer Given) => void) | undefined ? Given : never
  ) => void;
};

type Listen = (...given: unknown[]) => void;
type Listener = Readonly<Record<string, Listen>>;

/** @param listeners may be filled until the first thing happens */
export function createSignals<Listeners extends object>(
  names: readonly (keyof Listeners)[],
  listeners: readonly Partial<Listeners>[],
): Signals<Listeners> {
  const entries = names.map((name) => {
    let interested: Listener[] | undefined;
    // Nobody is told more than four things, and a list of what is told would be made for each listener.
    const tell: Listen = (first, second, third, fourth) => {
      interested ??= listeners.filter((listener) => listener[name] !== undefined) as Listener[];
      for (const listener of interested) listener[name as string]?.(first, second, third, fourth);
    };
    return [name, tell];
  });
  return Object.fromEntries(entries);
}
