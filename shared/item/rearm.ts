import type { ItemKey } from '#shared/contract/item-keys.ts';
import { attemptsAttribute, dueAttribute, operationAttribute } from './attributes.ts';
import { operationIsDiscarded } from './conditions.ts';
import { type ItemWrite, updateWrite } from './expression.ts';

/** Opens a discarded operation again with a fresh budget. `sent:` and the intent's time stay: the job asks before it calls. */
export const rearmWrite = (key: ItemKey, operation: string): ItemWrite =>
  updateWrite(
    key,
    { remove: [operationAttribute(operation), attemptsAttribute(operation), dueAttribute(operation)] },
    operationIsDiscarded(operation),
  );
