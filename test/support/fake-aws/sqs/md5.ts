import { hash } from 'node:crypto';

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}
export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

export const md5 = (data: string | Buffer): string => hash('md5', data);

/** Attributes are never changed, and a message is received with them as often as it is. */
const digests = new WeakMap<MessageAttributes, string>();

/** The digest the service documents for message attributes: names in order, every part behind its length. */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const before = digests.get(attributes);
  if (before !== undefined) return before;
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const digest = md5(Buffer.concat(names.flatMap((name) => parts(name, attributes[name] as MessageAttribute))));
  digests.set(attributes, digest);
  return digest;
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
