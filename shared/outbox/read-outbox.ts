import { type JobMessage, messageSchema } from '#shared/contract/message.ts';

/** A change of an item as the stream tells it. */
export interface ItemChange {
  readonly old: Readonly<Record<string, unknown>> | undefined;
  readonly current: Readonly<Record<string, unknown>> | undefined;
}

export type OutboxReading =
  | { readonly kind: 'messages'; readonly messages: readonly JobMessage[] }
  | { readonly kind: 'unreadable'; readonly problem: string };

/**
 * The jobs a change set off. Only a write that raised the version carries its outbox out; a later write on the same item still
 * shows it and must not send it again.
 */
export function readOutbox({ old, current }: ItemChange): OutboxReading {
  if (current?.outbox === undefined || current.version === old?.version) return { kind: 'messages', messages: [] };
  if (!Array.isArray(current.outbox)) return { kind: 'unreadable', problem: 'outbox is no list' };
  const parsed = current.outbox.map((entry) => messageSchema.safeParse(entry));
  const broken = parsed.findIndex(({ success }) => !success);
  if (broken >= 0) return { kind: 'unreadable', problem: `outbox entry ${broken} is no message` };
  return { kind: 'messages', messages: parsed.flatMap(({ data }) => (data === undefined ? [] : [data])) };
}
