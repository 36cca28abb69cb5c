import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createItemStore } from '#shared/aws/item-store.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { discarding } from '../../dead-letters/acts.ts';
import { archiveOf } from '../../dead-letters/archive-place.ts';
import { foreseeDiscarding } from '../../dead-letters/plan.ts';
import { paymentsOf } from '../../dead-letters/provider.ts';
import { CliError, EXIT } from '../../output/cli-error.ts';
import { globalOptions, type Session, withSession } from '../../session.ts';
import { parseReason } from '../pause.ts';
import { carryOut } from './act.ts';
import { type ActOptions, withActOptions } from './act-options.ts';
import { filterOf, parseLetterId } from './filter-options.ts';

interface DiscardOptions extends ActOptions {
  readonly reason: string;
  readonly archive?: string;
  readonly moneyIsKnown?: boolean;
}

export const register = (dlq: Command): void => {
  const command = dlq
    .command('discard')
    .description('throw letters away: archived first, their operations ended for good')
    .argument('[id]', 'message id of a letter, or the beginning of it', parseLetterId)
    .requiredOption('--reason <text>', 'why, for whoever reads the audit', parseReason);
  withActOptions(command)
    .option('--archive <directory>', "keep the bodies in files there (default: the stage's export bucket, below dead-letters/)")
    .option('--money-is-known', 'a person has settled with the provider what it charged or gave back')
    .addHelpText(
      'after',
      `
Refused, and left where they are: letters whose money the provider took or gave back, or does not speak about, and those of newer code.
Bodies are archived before anything changes: in the export bucket of the stage, which keeps them as long as it keeps exports (45 days);
in a stage without one, below archive/ in the state directory. \`dlq restore\` brings them back.

Exit codes: 0 all discarded, 1 none, 2 wrong usage, 3 no letter matches, 4 partly done (some refused or failed, or stopped).

Examples:
  npm run andal -- dlq discard 7d0c41c2 --reason test-order
  npm run andal -- dlq discard --cause malformed --older-than 3d --reason broken-client --dry-run
  npm run andal -- dlq discard --fingerprint 9f3a --reason duplicates --yes`,
    )
    .action((id: string | undefined, options: DiscardOptions, self: Command) =>
      withSession(globalOptions(self), (session) => discard(session, id, options)),
    );
};

async function discard(session: Session, id: string | undefined, options: DiscardOptions): Promise<void> {
  const { reason, moneyIsKnown = false } = options;
  if (moneyIsKnown && options.all === true)
    throw new CliError('What a person has settled, a person can name: give --money-is-known an id or a filter, not --all.', {
      exitCode: EXIT.usage,
    });
  const store = createItemStore(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable));
  const archive = archiveOf(session, options.archive);
  try {
    await carryOut(session, {
      act: 'discard',
      filter: filterOf(options, id),
      options,
      foresee: foreseeDiscarding(store, paymentsOf(session), { moneyIsKnown }),
      async begin() {
        await archive.open();
        return discarding(
          session,
          { who: userInfo().username, why: moneyIsKnown ? `money is known: ${reason}` : reason, moneyIsKnown },
          archive,
        );
      },
      archive: archive.place,
    });
  } finally {
    archive.close();
  }
}
