import { CliError, EXIT } from '../../output/cli-error.ts';

const WHOLE_ID = 36;

/** The beginning of an id could mean several letters. */
export const isPartOfId = (id: string | undefined): id is string => id !== undefined && id.length < WHOLE_ID;

/** @param letters how many, and where: `14 letters` */
export const ambiguousId = (id: string, letters: string): CliError =>
  new CliError(`${letters} have an id that begins with ${id}: name more of it.`, { exitCode: EXIT.usage });
