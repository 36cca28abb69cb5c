import './small-heap.ts';

// Loading all of this is what makes the heap grow first.
const { createProgram } = await import('./program.ts');
const { runProgram } = await import('./run-program.ts');

await runProgram(createProgram());
