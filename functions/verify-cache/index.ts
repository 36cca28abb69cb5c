import { system } from '#shared/runtime/system.ts';
import { withoutWords } from '#shared/runtime/without-words.ts';
import { wire } from './wire.ts';

export const handler = withoutWords(wire(system));
