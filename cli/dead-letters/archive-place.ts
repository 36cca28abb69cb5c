import { join } from 'node:path';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { createArchiveBucket } from '../aws/archive-bucket.ts';
import { defaultStateDirectory } from '../aws/target.ts';
import type { Session } from '../session.ts';
import { type ArchiveStore, createArchiveDirectory } from './archive-store.ts';

/** A directory that was asked for; else the stage's bucket, where every person of the team finds it; else the state directory. */
export function archiveOf({ outputs, target }: Pick<Session, 'outputs' | 'target'>, directory: string | undefined): ArchiveStore {
  if (directory !== undefined) return createArchiveDirectory(directory);
  const bucket = outputs[STACK_OUTPUTS.exportBucket];
  return bucket === undefined
    ? createArchiveDirectory(join(defaultStateDirectory, 'archive', target.stage))
    : createArchiveBucket(target, bucket);
}
