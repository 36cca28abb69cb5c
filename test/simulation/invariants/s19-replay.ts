import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { ItemWritten } from '../observer.ts';
import { OPERATOR } from '../scenario/operator.ts';
import type { Simulation } from '../simulation.ts';
import { type AuditRow, auditRowsIn } from './audit-rows.ts';
import { keyIn, numberOf, recordedOperations, recordOf } from './item-views.ts';
import { bodiesOf } from './job-whereabouts.ts';
import { attributesDropped } from './letter-attributes.ts';

type Letter = ReturnType<Simulation['sqs']['messages']>[number];

/** Judged by what an operator leaves behind on items and in queues, at the moment it is done. */
export const replay: Invariant = {
  id: 'S19',
  promise:
    'what a person does with a letter is written down first; a replay sends the same body under the same key, with the attributes others gave it, before the letter goes, and touches nothing finished',
  watch(simulation, violate) {
    const entries = new Map<string, Entry>();
    const sentAtMs = new Map<string, number>();
    const letters = new Map<string, readonly Letter[]>();
    const look = (queueName: string): readonly Letter[] => {
      const before = letters.get(queueName) ?? [];
      const now = simulation.sqs.messages(queueName);
      letters.set(queueName, now);
      return before.filter((letter) => !now.some(({ id }) => id === letter.id));
    };
    return {
      itemWritten(written) {
        // An entry's outcome is written on the same row, and is no second entry.
        for (const row of written.old === undefined ? auditRowsIn(written) : []) {
          const firstReplayAtMs = entries.get(row.messageId)?.firstReplayAtMs ?? (row.what === 'replay' ? written.atMs : undefined);
          entries.set(row.messageId, { row, firstReplayAtMs });
        }
        const opened = written.table === TABLES.state ? openedByHand(written) : undefined;
        if (opened === undefined) return;
        if (opened.wasCompleted) violate(`${written.by} opens ${opened.operation} of ${written.id}, which is finished`);
        const isAudited = [...entries.values()].some(
          ({ row: entry }) => entry.what === 'replay' && isAbout(entry, written.id, opened.operation),
        );
        if (!isAudited) violate(`${written.by} opens ${opened.operation} of ${written.id}, and no audit entry says why`);
      },
      queueCalled({ operation, input }, by) {
        const queueName = nameOfQueue(String(input.QueueUrl));
        if (/-dlq(\.fifo)?$/.test(queueName)) {
          const gone = look(queueName);
          if (!operation.startsWith('DeleteMessage')) return;
          for (const letter of gone) {
            const wrong = judgeGone(letter, entries.get(letter.id), sentAtMs.get(`${queueName.replace('-dlq', '')} ${letter.body}`));
            if (wrong !== undefined) violate(`the letter of ${keyIn(letter.body) ?? 'an unreadable message'} left ${queueName}: ${wrong}`);
          }
        } else if (operation.startsWith('SendMessage')) {
          if (by.startsWith(OPERATOR)) for (const wrong of attributesDropped(input, simulation)) violate(wrong);
          // What a FIFO queue swallows as a repetition was not sent.
          const held = new Set(simulation.sqs.messages(queueName).map(({ body }) => body));
          for (const body of bodiesOf(input)) if (held.has(body)) sentAtMs.set(`${queueName} ${body}`, simulation.world.nowMs);
        }
      },
      operatorActs({ kind, queueName, body }) {
        const isAudited = [...entries.values()].some(
          ({ row }) => row.what === kind && row.queue === queueName && (row.key === undefined || row.key === keyIn(body)),
        );
        if (!isAudited) violate(`the ${kind} of ${keyIn(body) ?? 'an unreadable message'} began before its audit entry`);
      },
      messagesLost: (queueName) => void look(queueName),
    };
  },
};

interface Entry {
  /** The last one of a letter. */
  readonly row: AuditRow;
  /** A replay that is repeated after a crash may find that its message is out already, and a FIFO queue then takes no second one. */
  readonly firstReplayAtMs: number | undefined;
}

interface Opened {
  readonly operation: string;
  readonly wasCompleted: boolean;
}

/** A record removed without the fence rising: a customer's request, which may open an operation too, raises it. */
function openedByHand({ old, next, by }: ItemWritten): Opened | undefined {
  if (by === undefined || next === undefined || numberOf(old, 'fence') !== numberOf(next, 'fence')) return undefined;
  const operation = recordedOperations(old).find((name) => recordOf(next, name) === undefined);
  return operation === undefined ? undefined : { operation, wasCompleted: recordOf(old, operation)?.status === 'completed' };
}

/** The order's reference is part of the key; a job's own item is named by it. */
function isAbout({ key = '' }: AuditRow, id: string, operation: string): boolean {
  if (operation === 'run') return id.includes(`#${key}|`) || id.endsWith(`#${key}`);
  const [, userId, orderId] = /^USER#(.+)\|ORDER#(.+)$/.exec(id) ?? [];
  return key === operation.replace(':', `:${userId}/${orderId}:`);
}

function judgeGone({ body }: Letter, entry: Entry | undefined, lastSentAtMs = -1): string | undefined {
  if (entry === undefined) return 'no audit entry says why';
  const { row, firstReplayAtMs } = entry;
  if (row.key !== undefined && row.key !== keyIn(body)) return `its audit entry is about ${row.key}`;
  if (row.what === 'replay' && lastSentAtMs < (firstReplayAtMs ?? 0)) return 'it was replayed, and no message with its body is out';
  return undefined;
}
