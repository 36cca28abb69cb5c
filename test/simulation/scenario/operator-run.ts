import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import { createMessageSender } from '#shared/aws/message-sender.ts';
import { createObjectStorage } from '#shared/aws/object-storage.ts';
import { createS3Client } from '#shared/aws/s3-client.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createTogetherReader } from '#shared/aws/together-reader.ts';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import { createLetterArchive } from '#shared/dead-letter/archive.ts';
import { createAuditTrail } from '#shared/dead-letter/audit.ts';
import { type LetterSource, readLetter } from '#shared/dead-letter/read-letter.ts';
import { rearmTogether, removeTogether, sendTogether } from '#shared/dead-letter/together.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { deadLetterQueueOf, EXPORT_BUCKET, INVALIDATION_RETRY, OUTBOX_FAILED, PROVIDER_URL, TABLES } from '../cloud/names.ts';
import type { Simulation } from '../simulation.ts';
import { type Acting, actOn, type Parts } from './operator-acts.ts';

/** Longer than an act takes, with every retry of it. */
const HIDDEN_SECONDS = 300;
/** How long a call waits for more to carry, as in the tool. */
const GATHER_MS = 5;

export const deadLetterSources = ({ jobQueues }: Simulation): LetterSource[] => [
  ...jobQueues.map(({ queueName, definition }) => ({ ...sourceOf(queueName), definition })),
  ...[OUTBOX_FAILED, INVALIDATION_RETRY].map(sourceOf),
];

const sourceOf = (queueName: string): LetterSource => ({
  deadLetterQueueName: deadLetterQueueOf(queueName),
  queueUrl: urlOf(queueName),
  fifo: queueName.endsWith('.fifo'),
});

/** One run of the tool: every queue until it hands out nothing more. Ten letters at a time go side by side; those of a FIFO queue one by one. @param who in labels and traces */
export async function workOff(simulation: Simulation, acting: Acting, who: string): Promise<void> {
  const { sqs, gather, parts } = toolOf(simulation, who);
  for (const source of deadLetterSources(simulation)) {
    const letters = removeTogether(createLetterQueue(sqs, urlOf(source.deadLetterQueueName)), gather);
    const desk = { simulation, letters, parts, acting };
    for (let page = await letters.receive(10, HIDDEN_SECONDS); page.length > 0; page = await letters.receive(10, HIDDEN_SECONDS)) {
      const read = page.map((received) => readLetter(received, asRead(source, received.body, acting.isOldTool)));
      if (source.fifo) for (const letter of read) await actOn(letter, desk);
      else await Promise.all(read.map((letter) => actOn(letter, desk)));
    }
  }
}

function toolOf(simulation: Simulation, who: string) {
  const { sdk, clock, random, fetch } = simulation.systemOf(who);
  const dynamodb = createDynamoDbClient({ sdk });
  const sqs = createSqsClient({ sdk });
  const s3 = createS3Client({ sdk });
  const gather = (): Promise<void> => clock.sleep(GATHER_MS);
  const store = createItemStore(dynamodb, TABLES.state);
  const parts: Parts = {
    rearm: rearmTogether(store, gather).write,
    store: { write: store.write, read: createTogetherReader<ItemKey>(dynamodb, TABLES.state, gather) },
    audit: createAuditTrail({ control: createControlTable(dynamodb, TABLES.control), clock, random, gather }),
    sender: sendTogether(createMessageSender(sqs), gather),
    payments: createSandboxClient({ baseUrl: PROVIDER_URL, fetch }),
    archive: createLetterArchive(createObjectStorage(async () => s3, EXPORT_BUCKET)),
    clock,
    random,
  };
  return { sqs, gather, parts };
}

/** After a roll-out letters carry the next version of their kind; a tool from before it cannot read them, the new one can. */
function asRead(source: LetterSource, body: string, isOldTool: boolean): LetterSource {
  const { definition } = source;
  const next = (definition?.version ?? 0) + 1;
  if (definition === undefined || isOldTool || !body.includes(`"version":${next},`)) return source;
  return { ...source, definition: { ...definition, version: next } };
}
