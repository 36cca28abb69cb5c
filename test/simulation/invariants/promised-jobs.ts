import { JOB_PREFIX } from '#shared/contract/item-keys.ts';
import { TABLES } from '../cloud/names.ts';
import { plainItem } from '../cloud/plain-item.ts';
import type { Simulation } from '../simulation.ts';
import {
  awaitedJob,
  type Image,
  idOf,
  imageOf,
  type JobName,
  jobOf,
  keyIn,
  recordedOperations,
  recordOf,
  referenceOf,
} from './item-views.ts';

/** Every item as it is now. */
export const stateImages = ({ dynamodb }: Pick<Simulation, 'dynamodb'>): Image[] => dynamodb.items(TABLES.state).map(plainItem);

/** Every job that this item calls for or has begun, finished or not, told from its state alone. */
export function promisedJobs(image: Image): JobName[] {
  const reference = referenceOf(idOf(image as never));
  if (reference === undefined) {
    const own = String(image['pk']).startsWith(JOB_PREFIX) ? jobOf(keyIn(String(image['message'])) ?? '') : undefined;
    return own === undefined ? [] : [own];
  }
  const awaited = awaitedJob(reference, image);
  const begun = Object.keys(image).flatMap((name) => (name.startsWith('try:') ? (jobOf(keyOn(reference, name.slice(4))) ?? []) : []));
  const receipts = recordedOperations(image).flatMap((operation) => {
    const { captureId } = (recordOf(image, operation)?.result ?? {}) as { readonly captureId?: string };
    const [name, attempt] = operation.split(':');
    return name === 'capture' && captureId !== undefined ? (jobOf(`receipt:${reference}:${attempt}`) ?? []) : [];
  });
  const jobs = [...(awaited === undefined ? [] : [awaited]), ...begun, ...receipts];
  return [...new Map(jobs.map((job) => [job.key, job])).values()];
}

/** `capture:1` on an order is `capture:<userId>/<orderId>:1`. */
const keyOn = (reference: string, operation: string): string => operation.replace(':', `:${reference}:`);

/** How a job stands now. */
export function standingOf(simulation: Pick<Simulation, 'dynamodb'>, job: JobName): 'completed' | 'discarded' | 'unfinished' {
  return recordOf(imageOf(simulation, job.item), job.operation)?.status ?? 'unfinished';
}
