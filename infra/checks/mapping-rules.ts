import { LIVE } from '../constructs/node-function.ts';
import { fromQueue, mappingsOf, timeoutSecondsOf, visibilitySecondsOf } from './mappings.ts';
import type { Rule } from './rule.ts';

/** AWS asks for six, so that a throttled batch is not delivered a second time while it still waits for its first run. */
const VISIBILITY_PER_FUNCTION_TIMEOUT = 6;

export const visibilityCoversFunction: Rule = {
  name: 'visibility-covers-function',
  fix: 'Raise the visibility timeout, or lower the timeout of the function or the batching window.',
  broken: (deployment) =>
    mappingsOf(deployment)
      .filter(fromQueue)
      .flatMap(({ mapping, lambda, source }) => {
        const windowSeconds = mapping.properties['MaximumBatchingWindowInSeconds'] ?? 0;
        const leastSeconds = VISIBILITY_PER_FUNCTION_TIMEOUT * timeoutSecondsOf(lambda) + windowSeconds;
        const visibilitySeconds = visibilitySecondsOf(source);
        const says = `its queue hides a message for ${visibilitySeconds} s, but six runs of ${timeoutSecondsOf(lambda)} s and a batching window of ${windowSeconds} s need ${leastSeconds} s.`;
        return visibilitySeconds < leastSeconds ? [{ at: mapping, says }] : [];
      }),
};

export const failuresAreReported: Rule = {
  name: 'failures-are-reported',
  fix: 'Set reportBatchItemFailures: true on the event source.',
  broken: (deployment) =>
    mappingsOf(deployment)
      .filter(({ mapping }) => !mapping.properties['FunctionResponseTypes']?.includes('ReportBatchItemFailures'))
      .map(({ mapping: at }) => ({
        at,
        says: 'without ReportBatchItemFailures a returned list of failures counts as success, and the messages on it are gone.',
      })),
};

export const mappingsNameTheAlias: Rule = {
  name: 'mappings-name-the-alias',
  fix: `Add the event source to the alias \`${LIVE}\` (NodeFunction.live), not to the function.`,
  broken: (deployment) =>
    mappingsOf(deployment)
      .filter(({ target }) => target?.type !== 'AWS::Lambda::Alias' || target.properties['Name'] !== LIVE)
      .map(({ mapping: at }) => ({
        at,
        says: 'it does not deliver to the alias, so a new version would get all of the work at once, whatever the rollout says.',
      })),
};

export const streamMappingsAreFiltered: Rule = {
  name: 'stream-mappings-are-filtered',
  fix: 'Name what the function is for in `filters` of consumeStream.',
  broken: (deployment) =>
    mappingsOf(deployment)
      .filter(({ mapping }) => mapping.properties['StartingPosition'] !== undefined)
      .filter(({ mapping }) => (mapping.properties['FilterCriteria']?.Filters ?? []).length === 0)
      .map(({ mapping: at }) => ({ at, says: 'it reads a stream without a filter and would be invoked for every claim of every job.' })),
};
