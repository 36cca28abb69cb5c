import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createItemStore } from '#shared/aws/item-store.ts';
import type { ItemWrite } from '#shared/item/expression.ts';

/** A write as a person reads it: placeholders replaced by their names and values. */
export function readable({ update, condition, names, values }: ItemWrite): { update: string | undefined; condition: string } {
  const plain = (text: string): string =>
    text
      .replace(/#[A-Za-z]+\d*/g, (placeholder) => names[placeholder] ?? placeholder)
      .replace(/:v\d+|:buried/g, (placeholder) => JSON.stringify(values[placeholder]) ?? placeholder);
  return { update: update === undefined ? undefined : plain(update), condition: plain(condition) };
}

/** The request the real store makes of a write. */
export async function requestOf(write: ItemWrite): Promise<{ operation: 'PutItem' | 'UpdateItem'; input: object }> {
  let sent: { input: object } | undefined;
  const client = {
    send: async (command: { input: object }) => {
      sent = command;
      return {};
    },
  };
  await createItemStore(client as never, 'State').write(write);
  if (sent === undefined) throw new Error('the store sent nothing');
  return { operation: sent instanceof UpdateItemCommand ? 'UpdateItem' : 'PutItem', input: sent.input };
}
