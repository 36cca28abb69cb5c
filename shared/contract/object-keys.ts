/** Where things live in the export bucket. */
export const EXPORT_PREFIX = 'exports/';

const folderOf = (userId: string, exportId: string): string => `${EXPORT_PREFIX}${userId}/${exportId}`;

/** What one step found: one order a line. */
export const exportPartKey = (userId: string, exportId: string, step: number): string => `${folderOf(userId, exportId)}/part-${step}.jsonl`;

/** The finished export. */
export const exportedOrdersKey = (userId: string, exportId: string): string => `${folderOf(userId, exportId)}/orders.jsonl`;
