import { createHash } from 'node:crypto';

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}
export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

export const md5 = (data: string | Buffer): string => createHash('md5').update(data).digest('hex');

/** The digest the service documents for message attributes: names in order, every part behind its length. */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  return md5(Buffer.concat(names.flatMap((name) => parts(name, attributes[name] as MessageAttribute))));
}

function parts(name: string, { DataType, StringValue, BinaryValue }: MessageAttribute): Buffer[] {
  const isBinary = DataType.startsWith('Binary');
  const value = isBinary ? Buffer.from(BinaryValue ?? '', 'base64') : Buffer.from(StringValue ?? '', 'utf8');
  return [...measured(Buffer.from(name)), ...measured(Buffer.from(DataType)), Buffer.from([isBinary ? 2 : 1]), ...measured(value)];
}

function measured(part: Buffer): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return [length, part];
}
