/** Tells whoever listens what happens in the simulation. Listeners look and judge; they change nothing. */
export type Signals<Listeners extends object> = {
  readonly [Name in keyof Listeners]-?: (
    ...given: Listeners[Name] extends ((...given: infer Given) => void) | undefined ? Given : never
  ) => void;
};

type Listen = (...given: unknown[]) => void;

/** @param listeners may be filled until the first thing happens */
export function createSignals<Listeners extends object>(
  names: readonly (keyof Listeners)[],
  listeners: readonly Partial<Listeners>[],
): Signals<Listeners> {
  const entries = names.map((name) => {
    let interested: Listen[] | undefined;
    const tell: Listen = (...given) => {
      interested ??= listeners.flatMap((listener) => (listener[name] === undefined ? [] : [(listener[name] as Listen).bind(listener)]));
      for (const listen of interested) listen(...given);
    };
    return [name, tell];
  });
  return Object.fromEntries(entries);
}
