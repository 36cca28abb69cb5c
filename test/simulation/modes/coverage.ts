import type { Fault } from '../network/fault.ts';
import { REQUIRED_SITUATIONS } from './required-situations.ts';
import type { Played } from './run-case.ts';

/** What a whole campaign met: the opposite of a proof in which nothing happened. */
export interface Coverage {
  add(played: Played): void;
  readonly situations: ReadonlyMap<string, number>;
  /** By service, how often each fault struck there that is possible there. */
  byService(): ReadonlyMap<string, ReadonlyMap<Fault, number>>;
  /** By kind of point (who does what to what), how often it was met and how often each fault struck there that is possible there. */
  readonly points: ReadonlyMap<string, PointCoverage>;
  /** What never happened though it must in a campaign of this size, in words. */
  missing(): string[];
}

export interface PointCoverage {
  met: number;
  readonly struck: Map<Fault, number>;
}

/** A kind of point that is met this often has seen every fault: at a rate of 2 % and ten faults, twenty of each are to be expected. */
const OFTEN = 10_000;

export function createCoverage(): Coverage {
  const situations = new Map<string, number>();
  const points = new Map<string, PointCoverage>();
  const pointAt = (label: string): PointCoverage => {
    const known = points.get(label) ?? { met: 0, struck: new Map<Fault, number>() };
    points.set(label, known);
    return known;
  };
  const byService = (): Map<string, Map<Fault, number>> => {
    const services = new Map<string, Map<Fault, number>>();
    for (const [label, { struck }] of points) {
      const service = serviceOf(label);
      const sums = services.get(service) ?? new Map<Fault, number>();
      services.set(service, sums);
      for (const [fault, times] of struck) sums.set(fault, (sums.get(fault) ?? 0) + times);
    }
    return services;
  };
  return {
    situations,
    points,
    byService,
    add(played) {
      for (const [name, times] of Object.entries(played.situations)) situations.set(name, (situations.get(name) ?? 0) + times);
      for (const [label, times] of Object.entries(played.met)) pointAt(label).met += times;
      for (const [label, faults] of Object.entries(played.possible)) {
        const { struck } = pointAt(label);
        for (const fault of faults) if (!struck.has(fault)) struck.set(fault, 0);
      }
      for (const { label, fault } of played.struck) {
        const { struck } = pointAt(label);
        struck.set(fault, (struck.get(fault) ?? 0) + 1);
      }
    },
    missing() {
      const faults = [...byService()].flatMap(([service, sums]) => zeros(sums).map((fault) => `fault ${fault} at ${service}`));
      const cells = [...points].flatMap(([label, { met, struck }]) =>
        met < OFTEN ? [] : zeros(struck).map((fault) => `fault ${fault} at "${label}", met ${met} times`),
      );
      const never = REQUIRED_SITUATIONS.filter((name) => !situations.has(name)).map((name) => `situation: ${name}`);
      return [...faults, ...cells, ...never];
    },
  };
}

const zeros = (sums: ReadonlyMap<Fault, number>): Fault[] => [...sums].flatMap(([fault, times]) => (times === 0 ? [fault] : []));

const SERVICES: readonly (readonly [pattern: RegExp, service: string])[] = [
  [/^mapping takes /, 'queue mappings'],
  [/^stream delivers /, 'stream mappings'],
  [/ at the provider$/, 'provider'],
  [/ (?:State|in a transaction)$/, 'table State'],
  [/ Control$/, 'table Control'],
  [/ Cache$/, 'table Cache'],
  [/ Mail$/, 'table Mail'],
  [/ (?:SendMessage|ChangeMessageVisibility|ReceiveMessage|DeleteMessage)/, 'queues'],
  [/ (?:Get|Update)EventSourceMapping /, 'Lambda'],
  [/ (?:GetObject|PutObject|\w*MultipartUpload|UploadPart) /, 'objects'],
];

/** The service a point belongs to. */
export const serviceOf = (label: string): string => SERVICES.find(([pattern]) => pattern.test(label))?.[1] ?? label;
