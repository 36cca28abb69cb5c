/** The tool died between the act and its outcome, or could not write it. */
export const NO_OUTCOME = 'nobody saw its end: look at the item';
