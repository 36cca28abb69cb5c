import { expect, test } from 'vitest';
import { holdsPersonalData } from '../../../cli/audit/personal-data.ts';

test.each([
  '4000000000000002',
  'card 4000 0012 3456 7899 was charged',
  '5555-5555-5555-4444',
  'see 3782 822463 10005.',
  '６０１１１１１１１１１１１１１７',
  'asked by Kanari.Vogelsang+x@example.test',
])('a reason with a card number or an e-mail address is known as one (%s)', (text) => expect(holdsPersonalData(text)).toBe(true));

test.each([
  'maintenance',
  'provider-is-back',
  'order 4000000000000003',
  'ticket 123456789012, 2026-11-30T10:00:00.000Z',
  'u-1/ord-1 at 10:00',
  '12345678901234567890123456789012',
  '@oncall said so',
])('a reason that says why is none (%s)', (text) => expect(holdsPersonalData(text)).toBe(false));
