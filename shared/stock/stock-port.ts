/** What is known of an article's stock. Changes go through a job's commit, never through here. */
export interface StockPort {
  /** Strongly consistent; an article nobody ever added to has none. */
  quantityOf(sku: string): Promise<number>;
}
