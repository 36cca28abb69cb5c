import { AwsError } from '../aws-error.ts';
import type { MessageAttribute, MessageAttributes } from './md5.ts';

export const invalid = (message: string): AwsError => new AwsError('InvalidParameterValueException', message);
export const missingParameter = (name: string): AwsError =>
  new AwsError('MissingRequiredParameterException', `The request must contain the parameter ${name}.`);

/** One message, and all messages of one batch together. */
export const MAX_BYTES = 1024 * 1024;

// XML 1.0: tab, line feed, carriage return, and everything from space up but surrogates and U+FFFE, U+FFFF.
const XML_CHARACTERS = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

export interface Sendable {
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
  readonly MessageAttributes?: MessageAttributes;
  readonly MessageSystemAttributes?: MessageAttributes;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

export function bytesOfMessage({ MessageBody = '', MessageAttributes = {} }: Sendable): number {
  return Object.entries(MessageAttributes).reduce(
    (sum, [name, value]) => sum + attributeBytes(name, value),
    Buffer.byteLength(MessageBody),
  );
}

function attributeBytes(name: string, { DataType, StringValue = '', BinaryValue = '' }: MessageAttribute): number {
  return Buffer.byteLength(name) + Buffer.byteLength(DataType) + Buffer.byteLength(StringValue) + Buffer.from(BinaryValue, 'base64').length;
}

/** @throws AwsError what the service answers for this message, alone or as an entry of a batch */
export function checkMessage(message: Sendable): void {
  if (!message.MessageBody) throw missingParameter('MessageBody');
  if (!XML_CHARACTERS.test(message.MessageBody)) {
    throw new AwsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    );
  }
  const bytes = bytesOfMessage(message);
  if (bytes > MAX_BYTES) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${MAX_BYTES} bytes.`);
  }
  checkDelay(message.DelaySeconds);
  checkAttributes(message.MessageAttributes ?? {});
}

function checkDelay(seconds: number | undefined): void {
  if (seconds === undefined || (seconds >= 0 && seconds <= 900)) return;
  throw invalid(`Value ${seconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`);
}

function checkAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes);
  if (entries.length > 10) throw invalid(`Number of message attributes [${entries.length}] exceeds the allowed maximum [10].`);
  for (const [name, { DataType, StringValue, BinaryValue }] of entries) {
    if (!/^(String|Number|Binary)(\.|$)/.test(DataType ?? '')) {
      throw invalid(
        `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
      );
    }
    if (!(DataType.startsWith('Binary') ? BinaryValue : StringValue)) {
      throw invalid(`Message (user) attribute '${name}' must contain a non-empty value of type '${DataType}'.`);
    }
  }
}
