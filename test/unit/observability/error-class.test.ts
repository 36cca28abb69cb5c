import { describe, expect, it } from 'vitest';
import { errorClassOf } from '../../../functions/execute-job/error-class.ts';

describe('the class of an error', () => {
  it.each([
    ['provider-timeout', 'timeout'],
    ['provider-connection-lost', 'connection'],
    ['provider-rate-limited', 'throttled'],
    ['provider-answered-503', 'dependency'],
    ['claim-unanswered', 'database'],
    ['unexpected-TypeError', 'bug'],
    ['captured-amount-differs', 'reconciliation'],
    ['malformed', 'malformed'],
    ['unsupported-version', 'version'],
    ['attempts-spent', 'spent'],
  ])('of %s is %s', (code, errorClass) => expect(errorClassOf(code)).toBe(errorClass));

  it('is one of few, whatever a code is made of: no code and no name makes a metric of its own', () => {
    const codes = [
      'provider-answered-418',
      'provider-answered-599',
      'unexpected-Whatever',
      'something-new',
      'constructor',
      '__proto__',
      '',
    ];
    expect(new Set(codes.map(errorClassOf))).toEqual(new Set(['dependency', 'bug', 'other']));
  });
});
