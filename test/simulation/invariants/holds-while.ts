import type { Observer } from '../observer.ts';
import type { Simulation } from '../simulation.ts';

/** The promises that must survive whatever the conditions are. */
const SURVIVING = Array.from({ length: 14 }, (_, index) => `S${index + 1}`);

/**
 * For promises of the kind "the others hold under this condition too": watches nothing itself, but claims each violation of S1 to S14
 * that is found once the condition has been there. So it is only as good as they are, and it says that the condition was met.
 *
 * @param isMet whether the condition has been there
 */
export function holdsWhile(simulation: Simulation, violate: (how: string) => void, isMet: () => boolean): Observer {
  const look = (): void => {
    if (simulation.violations.length === 0 || !isMet()) return;
    const broken = simulation.violations.find(({ invariant }) => SURVIVING.includes(invariant));
    if (broken !== undefined) violate(`${broken.invariant}: ${broken.how}`);
  };
  return {
    itemWritten: look,
    providerCalled: look,
    providerMoved: look,
    queueCalled: look,
    messageDeleted: look,
    apiAnswered: look,
    invocationEnded: look,
    rested: look,
    finished: look,
  };
}
