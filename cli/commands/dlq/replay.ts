import { userInfo } from 'node:os';
import { isCancel, text } from '@clack/prompts';
import type { Command } from 'commander';
import { createItemStore } from '#shared/aws/item-store.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { replaying } from '../../dead-letters/acts.ts';
import { foreseeReplay } from '../../dead-letters/plan.ts';
import { MOST_REPLAYS } from '../../dead-letters/verdict.ts';
import { CliError } from '../../output/cli-error.ts';
import { globalOptions, type Session, withSession } from '../../session.ts';
import { parseReason } from '../pause.ts';
import { carryOut } from './act.ts';
import { type ActOptions, parseCanaryWait, withActOptions } from './act-options.ts';
import { filterOf, parseLetterId } from './filter-options.ts';

interface ReplayOptions extends ActOptions {
  readonly reason?: string;
  readonly force?: boolean;
}

export const register = (dlq: Command): void => {
  const command = dlq
    .command('replay')
    .description('bring letters back to their queues: each job gets six fresh attempts, under its old key')
    .argument('[id]', 'message id of a letter, or the beginning of it', parseLetterId);
  withActOptions(command)
    .option('--canary', 'replay one letter first, and the others only if it ends well')
    .option('--canary-wait <duration>', 'how long that one may take (default: 2m)', parseCanaryWait)
    .option('--force', `replay letters, too, that were brought back ${MOST_REPLAYS} times already`)
    .option('--reason <text>', 'why, for whoever reads the audit; asked for in a terminal', parseReason)
    .addHelpText(
      'after',
      `
Refused, and left where they are: letters whose operation is done, whose order is gone or at a later attempt,
those of newer code, and those that were brought back ${MOST_REPLAYS} times already.
A replay may be repeated at any time: nothing is charged, sent or counted twice. Ctrl-C stops between two letters.

Exit codes: 0 all replayed, 1 none, 2 wrong usage, 3 no letter matches, 4 partly done (some refused or failed, stopped, canary not well).

Examples:
  npm run andal -- dlq replay 7d0c41c2
  npm run andal -- dlq replay --fingerprint 9f3a --dry-run
  npm run andal -- dlq replay --kind capture-payment --cause attempts-spent --canary --rate 50/s
  npm run andal -- dlq replay --all --yes --reason provider-is-back`,
    )
    .action((id: string | undefined, options: ReplayOptions, self: Command) =>
      withSession(globalOptions(self), (session) => replay(session, id, options)),
    );
};

function replay(session: Session, id: string | undefined, options: ReplayOptions): Promise<void> {
  const mostReplays = options.force === true ? undefined : MOST_REPLAYS;
  return carryOut(session, {
    act: 'replay',
    filter: filterOf(options, id),
    options,
    foresee: foreseeReplay(createItemStore(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable)), mostReplays),
    begin: async () => replaying(session, { who: userInfo().username, why: await reasonFor(session, options), mostReplays }),
  });
}

async function reasonFor({ json }: Session, { reason, yes = false }: ReplayOptions): Promise<string> {
  if (reason !== undefined) return reason;
  if (yes || json || process.stdin.isTTY !== true) return 'no reason given';
  const answer = await text({ message: 'Why are they replayed?', placeholder: 'the provider is back', validate: complaintAbout });
  if (isCancel(answer)) throw new CliError('Nothing was done.');
  return answer;
}

function complaintAbout(answer: string | undefined): string | undefined {
  try {
    parseReason(answer ?? '');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
