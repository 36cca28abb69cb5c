export interface ReportTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Bars from a common zero: the only plot that does not flatter. */
export interface ReportChart {
  /** Of its file, without an ending. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly ours?: boolean }[];
}

export interface BudgetRow {
  readonly what: string;
  readonly budget: string;
  readonly measured: string;
  readonly kept: boolean;
}

/** What a part of the bench found, ready to be printed, kept and written down. */
export interface PartReport {
  readonly budgets: readonly BudgetRow[];
  readonly tables: readonly ReportTable[];
  readonly charts: readonly ReportChart[];
  /** How it was measured, what it does not show. */
  readonly notes: readonly string[];
}

export interface PartOptions {
  /** How often what takes time is measured; the spread of it is told. */
  readonly runs: number;
  /** Writes down what a test compares with. */
  readonly record: boolean;
  /** Numbers of jobs to look for growth with. */
  readonly sizes: readonly number[];
  /** One line on what is going on. */
  readonly say: (line: string) => void;
}

export interface Part {
  readonly title: string;
  /** Its numbers depend on the machine and on what else runs there. */
  readonly timed: boolean;
  readonly run: (options: PartOptions) => Promise<PartReport>;
}
