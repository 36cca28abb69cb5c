import type { Command } from 'commander';
import { register as discard } from './dlq/discard.ts';
import { register as inspect } from './dlq/inspect.ts';
import { register as list } from './dlq/list.ts';
import { register as replay } from './dlq/replay.ts';
import { register as restore } from './dlq/restore.ts';

export function register(program: Command): void {
  const dlq = program.command('dlq').description('dead letters: list, understand, replay, discard and restore them');
  for (const registerOne of [list, inspect, replay, discard, restore]) registerOne(dlq);
}
