import type { SdkOptions } from '#shared/aws/sdk-options.ts';

/** What SES does with the next mail: takes it, refuses it in its own words, takes it and never answers, or fails. */
export type SesTurn = 'take' | 'take-unanswered' | { readonly error: string; readonly status: number; readonly message?: string };

export interface FakeSes {
  readonly sdk: SdkOptions;
  readonly mails: { readonly from: string; readonly to: string; readonly subject: string; readonly text: string }[];
  /** Used up one by one; then it takes everything. */
  readonly turns: SesTurn[];
}

/** SES by its wire protocol, as far as a receipt needs it. */
export function createFakeSes(): FakeSes {
  const mails: FakeSes['mails'] = [];
  const turns: SesTurn[] = [];
  const handle = async ({ path, body }: { path: string; body: string | Uint8Array }) => {
    if (path !== '/v2/email/outbound-emails') throw new Error(`no such call: ${path}`);
    const turn = turns.shift() ?? 'take';
    if (typeof turn === 'object') return answer(turn.status, { message: turn.message ?? 'refused' }, turn.error);
    const { FromEmailAddress: from, Destination: destination, Content: content } = JSON.parse(textOf(body));
    const { Subject: subject, Body: text } = content.Simple;
    mails.push({ from, to: destination.ToAddresses.join(), subject: subject.Data, text: text.Text.Data });
    if (turn === 'take-unanswered') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    return answer(200, { MessageId: `mail-${mails.length}` });
  };
  return { sdk: { createRequestHandler: () => ({ handle }) as never }, mails, turns };
}

/** The SDK's body warns when it is used like a text. */
const textOf = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength).toString();

const answer = (statusCode: number, body: object, error?: string) => ({
  response: {
    statusCode,
    headers: { 'content-type': 'application/json', ...(error === undefined ? {} : { 'x-amzn-errortype': error }) },
    body: new TextEncoder().encode(JSON.stringify(body)),
  },
});
