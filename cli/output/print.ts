/** One answer, two faces: a document for programs, text for people. */
export function printAnswer(json: boolean, document: unknown, text: () => string): void {
  process.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : `${text()}\n`);
}

/** Notes go to stderr, so that stdout stays one clean document under --json. */
export const printNote = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
