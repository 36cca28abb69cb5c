import { describe, expect, it } from 'vitest';
import { answerStreamBatch } from '#shared/runtime/stream-batch.ts';

// Case: B42.

describe('the answer to a stream batch', () => {
  const failures = ['300000000000000000000000000000000000010', '300000000000000000000000000000000000009', '1000'].map((sequenceNumber) => ({
    sequenceNumber,
  }));

  it('names nothing when nothing failed', () => {
    expect(answerStreamBatch([], 'report')).toEqual({ batchItemFailures: [] });
    expect(answerStreamBatch([], 'throw')).toEqual({ batchItemFailures: [] });
  });

  it('names the lowest failed sequence number alone, compared as numbers of any length', () => {
    expect(answerStreamBatch(failures, 'report')).toEqual({ batchItemFailures: [{ itemIdentifier: '1000' }] });
    expect(answerStreamBatch(failures.slice(0, 2), 'report')).toEqual({
      batchItemFailures: [{ itemIdentifier: '300000000000000000000000000000000000009' }],
    });
  });

  it('takes 99 for lower than 100', () => {
    expect(answerStreamBatch([{ sequenceNumber: '100' }, { sequenceNumber: '99' }], 'report')).toEqual({
      batchItemFailures: [{ itemIdentifier: '99' }],
    });
  });

  it('throws where an answer would be taken as success', () => {
    expect(() => answerStreamBatch(failures, 'throw')).toThrow('3 stream record(s)');
  });

  it('throws when a failed record has no sequence number to name', () => {
    expect(() => answerStreamBatch([{ sequenceNumber: undefined }, ...failures], 'report')).toThrow('delivered again');
  });
});
