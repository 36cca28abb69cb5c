/** Objects that hold text, named by keys. Reads see every finished write. */
export interface ObjectStoragePort {
  /**
   * Writes an object that is written once: the first writer wins, however late another one wakes up.
   *
   * @returns false when there is one already; it is left as it is
   */
  putOnce(key: string, text: string): Promise<boolean>;
  /** Replaces the object, whole or not at all. However long it is, no more than a few chunks are held in memory. */
  put(key: string, chunks: AsyncIterable<string>): Promise<void>;
  /** @returns undefined when there is no such object */
  get(key: string): Promise<string | undefined>;
}
