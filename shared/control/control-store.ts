/**
 * The Control table: a few small rows that workers, the governor and the CLI agree through, each under one id. Every write may
 * carry a condition and is atomic; a refused one returns the row that refused it. Throws only when there is no answer.
 */
export interface ControlStore {
  /** Strongly consistent. */
  get(id: string): Promise<ControlRow | undefined>;
  /** Replaces the whole row. */
  put(id: string, attributes: Readonly<Record<string, unknown>>, condition?: RowCondition): Promise<ControlAnswer>;
  /** Changes some attributes; creates the row when there is none. */
  update(id: string, change: RowChange, condition?: RowCondition): Promise<ControlAnswer>;
  delete(id: string, condition?: RowCondition): Promise<ControlAnswer>;
}

export type ControlRow = Readonly<Record<string, unknown>>;

export interface RowChange {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

/** All of them must hold. A missing attribute passes `absent` and `absentOrBelow` only. */
export type RowCondition = Readonly<Record<string, AttributeTest>>;

export type AttributeTest =
  | 'absent'
  | { readonly equals: string | number }
  /** Both ends included. */
  | { readonly between: readonly [number, number] }
  | { readonly atMost: number }
  | { readonly below: number }
  | { readonly absentOrBelow: number };

export type ControlAnswer =
  | { readonly accepted: true; readonly row: ControlRow | undefined }
  | { readonly accepted: false; readonly row: ControlRow | undefined };
