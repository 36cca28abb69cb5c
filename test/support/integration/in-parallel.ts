/** Runs at most `limit` at a time and returns the answers in the order of the items. */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  limit: number,
  run: (item: Item, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers = new Array<Answer>(items.length);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) answers[index] = await run(items[index] as Item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return answers;
}
