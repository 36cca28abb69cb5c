import type { Call } from '../../support/fake-aws/wire.ts';
import type { Invariant } from '../invariant.ts';
import { canaryIn } from './canaries.ts';

/**
 * Looks for what customers wrote wherever operators, other systems or other customers could read it. The customer's own order, the
 * table and the cache hold it rightly.
 *
 * Does not protect against a leak in another spelling, nor against what the CLI prints.
 */
export const noLeaks: Invariant = {
  id: 'S20',
  promise:
    'canary names, notes and card numbers never appear in logs, metrics, message attributes, messages, errors or calls to the provider',
  watch(_, violate) {
    const search = (where: string, what: unknown): void => {
      const canary = canaryIn(textOf(what));
      if (canary !== undefined) violate(`${where} tells "${canary}"`);
    };
    return {
      logged: (service, level, message, fields) => search(`a line that ${service} logs (${level}: ${message})`, [message, fields]),
      counted: (service, name) => search(`a metric of ${service}`, name),
      providerCalled: ({ operation, body, key }) => search(`a ${operation} at the provider`, [body, key]),
      queueCalled: (call, by) => search(`a ${call.operation} of ${by}`, sentTexts(call)),
      itemWritten({ table, id, old, next, by }) {
        if (table === 'Control') return search(`row ${id} of the Control table`, next);
        if (table === 'State' && next?.['lastError'] !== old?.['lastError'])
          search(`the error that ${by} stored on an item`, next?.['lastError']);
      },
      invocationEnded(functionName, _process, end) {
        if (end.how === 'threw') search(`the error that ${functionName} threw`, end.error);
      },
      apiAnswered({ functionName, answer: { statusCode, body, headers } }) {
        if (statusCode >= 400) search(`a ${statusCode} of ${functionName}`, [body, headers]);
      },
    };
  },
};

/** A letter repeats its message byte for byte, so only what is added to it is looked at. */
function sentTexts({ operation, input }: Call): unknown {
  if (operation === 'SendMessage') return input.MessageAttributes;
  return operation === 'SendMessageBatch' ? input.Entries : undefined;
}

/** Errors too, with all they carry. */
const textOf = (what: unknown): string =>
  typeof what === 'string' ? what : ((holdsError(what) ? JSON.stringify(what, withErrors) : JSON.stringify(what)) ?? '');

const withErrors = (_: string, member: unknown): unknown =>
  member instanceof Error ? { ...member, name: member.name, message: member.message, stack: member.stack, cause: member.cause } : member;

/** Telling is cheaper than asking at each member while the text is made; most of what is looked at holds none. */
function holdsError(what: unknown): boolean {
  if (typeof what !== 'object' || what === null) return false;
  if (what instanceof Error) return true;
  for (const name in what) if (holdsError((what as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}
