import { expect, it } from 'vitest';
import { bundleAll } from '../../bench/bundles/measure.ts';
import { MOST_GROWTH, readBytes } from '../../bench/bundles/recorded-bytes.ts';

const recorded = readBytes();
const sizes = await bundleAll((_folder, size) => size);

it('the bytes of every function are recorded, and of no other', () => {
  expect(Object.keys(recorded)).toEqual(sizes.map(({ name }) => name));
});

it.each(sizes.map((size) => [size.name, size] as const))(
  'the bundle of %s is at most a twentieth larger than when it was recorded (npm run bench -- bundles --record)',
  (name, { startBytes, allBytes, from }) => {
    const before = recorded[name] ?? { startBytes: 0, allBytes: 0 };
    const why = `largest parts: ${from
      .slice(0, 5)
      .map(({ origin, bytes }) => `${origin} ${bytes}`)
      .join(', ')}`;
    expect(startBytes, why).toBeLessThanOrEqual(before.startBytes * (1 + MOST_GROWTH));
    expect(allBytes, why).toBeLessThanOrEqual(before.allBytes * (1 + MOST_GROWTH));
  },
);
