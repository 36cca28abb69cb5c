import type { Attribute } from './attribute.ts';

/** Stands in a parsed expression where a value of the request stands, so that the next request can use the expression as well. */
export interface Hole {
  /** Name of the placeholder. */
  readonly hole: string;
}
export type Values = Readonly<Record<string, Attribute>>;

/** A path, a function and a value have no member of this name. */
export const isHole = (operand: object): operand is Hole => (operand as Partial<Hole>).hole !== undefined;

export const valueIn = ({ hole }: Hole, values: Values | undefined): Attribute => values?.[hole] as Attribute;
