import { createHash } from 'node:crypto';

/** The export's name follows from who asks and with which key, so a repeated request meets the export its first one began. */
export const exportIdOf = (userId: string, idempotencyKey: string): string =>
  createHash('sha256').update('export').update('\0').update(userId).update('\0').update(idempotencyKey).digest('hex').slice(0, 32);

export const exportKey = (userId: string, exportId: string, step: number): string => `export:${userId}/${exportId}:${step}`;
