import { system } from '#shared/runtime/system.ts';
import { wire } from './wire.ts';

export const handler = wire(system);
