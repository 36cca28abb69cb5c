import { carriesOutbox, type Image } from './item-views.ts';

/** A body that tells no job: whoever gets it can only set it aside. */
export function isPoison(body: string): boolean {
  try {
    const { kind, idempotencyKey, payload } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return typeof kind !== 'string' || typeof idempotencyKey !== 'string' || typeof payload !== 'object' || payload === null;
  } catch {
    return true;
  }
}

/** A change whose outbox cannot be read: its stream record can only be set aside. */
export const isPoisonChange = (old: Image | undefined, next: Image | undefined): boolean =>
  carriesOutbox(old, next) && !isOutbox(next['outbox']);

const isOutbox = (outbox: unknown): boolean => Array.isArray(outbox) && outbox.every((entry) => !isPoison(JSON.stringify(entry)));
