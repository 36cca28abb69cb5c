import { randomBytes } from 'node:crypto';

/** A name no other run and no other test has, so that tests share one deployment without meeting. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomBytes(5).toString('hex')}`;
