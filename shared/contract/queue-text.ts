/**
 * JSON that SQS takes: its messages and their attributes may hold XML 1.0 characters only, and of the others JSON leaves
 * just these two unescaped. A text with one of them would be refused at every send.
 */
export const queueText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
