import type { Fault, FaultPlan } from '../network/fault.ts';
import type { PlannedFault } from './run-case.ts';

/** Strikes where it is planned and nowhere else; a fault that is not possible there does not happen. */
export function plannedFaults(planned: readonly PlannedFault[]): FaultPlan {
  const byIndex = new Map<number, string>();
  const byName = new Map<string, string>();
  for (const one of planned) {
    if ('at' in one) byIndex.set(one.at, one.fault);
    else byName.set(`${one.label}#${one.nth}`, one.fault);
  }
  const met = new Map<string, number>();
  return {
    at<Possible extends Fault>({ index, label }: { readonly index: number; readonly label: string }, possible: readonly Possible[]) {
      const nth = (met.get(label) ?? 0) + 1;
      met.set(label, nth);
      const wanted = byIndex.get(index) ?? byName.get(`${label}#${nth}`);
      return possible.find((fault) => fault === wanted);
    },
  };
}
