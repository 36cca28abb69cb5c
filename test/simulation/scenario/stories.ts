import type { RunOptions } from '../run.ts';
import { oneOrder } from './one-order.ts';

/** Stories by the names the commands take; `many-users` is drawn from each seed. */
export const STORIES = ['one-order', 'many-users'] as const;
export type StoryName = (typeof STORIES)[number];

export const storyNamed = (name: StoryName): Pick<RunOptions, 'story'> => (name === 'one-order' ? { story: oneOrder } : {});
