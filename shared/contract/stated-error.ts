/**
 * An error whose text stands in this code and names no values: logs show it. Of every other error they show the name alone, for an SDK
 * repeats in its words what it was sent, and a parser what it read.
 */
export class StatedError extends Error {}
