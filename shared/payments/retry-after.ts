const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * @param retryAfter header as sent: whole seconds or an HTTP date (RFC 9110, 10.2.3)
 * @param date the answer's own Date header: a date is measured against the provider's clock, not ours
 * @returns milliseconds to wait; nothing when the header is absent or says nothing usable
 */
export function retryAfterMs(retryAfter: string | null, date: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  if (!HTTP_DATE.test(retryAfter) || date === null || !HTTP_DATE.test(date)) return undefined;
  const waitMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
