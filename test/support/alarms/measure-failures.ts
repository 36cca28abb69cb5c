import '../../simulation/kernel/virtual-globals.ts';
import { START_MS } from '../../simulation/kernel/virtual-globals.ts';
import { run } from '../../simulation/run.ts';
import type { Sample } from './alarm-evaluator.ts';
import { FAILURES, HOUR_MS, planOf, storyOf } from './failures.ts';
import { measuring } from './measured-run.ts';

/** A process of its own, for it owns time: plays every failure once and prints what was measured, one line each. */
const wanted = process.argv.slice(2);
for (const failure of FAILURES) {
  if (wanted.length > 0 && !wanted.includes(failure.name)) continue;
  const samples: Sample[] = [];
  const forMs = failure.lastsMs + HOUR_MS + (failure.ignoredMs ?? 0);
  const { virtualMs } = await run({
    seed: 1,
    story: storyOf(failure),
    plan: planOf(failure, START_MS),
    skew: false,
    invariants: [measuring(samples, forMs)],
    // It ends when enough was seen, however much is left to do.
    stopAtFirst: true,
  });
  await new Promise((written) =>
    process.stdout.write(
      `${JSON.stringify({ name: failure.name, beganAtMs: START_MS, endedAtMs: START_MS + virtualMs, samples })}\n`,
      written,
    ),
  );
}
