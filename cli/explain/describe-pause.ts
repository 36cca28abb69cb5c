import type { Pause } from '#shared/control/rows.ts';

export const describePause = (pause: Pause | null): string =>
  pause === null ? '(its row cannot be read)' : `since ${new Date(pause.pausedAtMs).toISOString()} by ${pause.by}: ${pause.reason}`;
