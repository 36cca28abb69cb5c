/** What customers of a story write where the API takes free text; it may come back to them alone. */
export const CANARIES = ['canary', 'Kanari Vogelsang', '4000 0012 3456 7899', '4000001234567899'] as const;

/** A note with everything in it that must not be told. */
export const canaryNote = (number: number): string => `canary-note-${number}: Kanari Vogelsang, card 4000 0012 3456 7899`;

/** A key a customer chose badly: names and cards get into keys, too. */
export const canaryKey = (number: number): string => `canary-key-${number}/4000001234567899`;

/** The first canary in a text. */
export const canaryIn = (text: string): string | undefined => CANARIES.find((canary) => text.includes(canary));
