import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { orderIsNew } from './conditions.ts';
import { type ItemWrite, putWrite } from './expression.ts';

/** Brings a business object into being together with the jobs that follow from it. */
export const acceptWrite = (
  key: ItemKey,
  attributes: Readonly<Record<string, unknown>>,
  outbox: readonly JobMessage[],
  nowMs: number,
): ItemWrite => putWrite(key, { ...attributes, version: 1, fence: 0, lease: 'free', outbox, outboxAtMs: nowMs }, orderIsNew);
