import type { Simulation } from '../../simulation.ts';
import { TABLES } from '../names.ts';

/** The cache is emptied: values and the tokens of fills under way. */
export function loseCache({ dynamodb, services, signals, world }: Simulation): void {
  world.log('the cache is lost');
  signals.disturbed('cache-lost');
  for (const { key } of [...dynamodb.items(TABLES.cache)]) dynamodb.handle('DeleteItem', { TableName: TABLES.cache, Key: { key } });
  services.announceWrites(undefined, undefined);
}
