import { directionFaults } from './directions.ts';

/** Prints every import that goes against the directions, or that the check saw too little to judge. */
const faults = await directionFaults(process.cwd());
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
