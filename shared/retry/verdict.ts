/** What a failed run means for its job. */
export type Verdict =
  /** `sent: 'no'` only when the outside is known not to have acted. */
  | { readonly kind: 'retry'; readonly code: string; readonly sent: 'no' | 'maybe'; readonly retryAfterMs?: number | undefined }
  /** The side effect may have happened. */
  | { readonly kind: 'unknown'; readonly code: string; readonly retryAfterMs?: number | undefined }
  /** Put off before anything was tried: costs no attempt. */
  | { readonly kind: 'deferred'; readonly code: string; readonly retryAfterMs?: number | undefined; readonly delayMs?: number | undefined }
  /** No repetition can help. */
  | { readonly kind: 'permanent'; readonly code: string; readonly sent: 'no' | 'maybe' };
