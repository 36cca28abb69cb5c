import type { AttributeTest, ControlAnswer, ControlRow, ControlStore, RowCondition } from '#shared/control/control-store.ts';

export interface MemoryControl extends ControlStore {
  readonly rows: Map<string, ControlRow>;
  /** Operations so far, as `get rate:x`. */
  readonly calls: string[];
  /** Set, every operation fails with it. */
  failure: Error | undefined;
}

/** The Control table in memory: the same answers as the DynamoDB adapter (test/conformance/control.test.ts). */
export function createMemoryControl(): MemoryControl {
  const rows = new Map<string, ControlRow>();
  const calls: string[] = [];
  const begin = (operation: string, id: string): ControlRow | undefined => {
    calls.push(`${operation} ${id}`);
    if (control.failure !== undefined) throw control.failure;
    return rows.get(id);
  };
  const write = (
    id: string,
    condition: RowCondition,
    change: (old: ControlRow) => ControlRow | undefined,
    operation: string,
  ): ControlAnswer => {
    const old = begin(operation, id);
    if (!Object.entries(condition).every(([name, test]) => passes(old?.[name], test))) return { accepted: false, row: old };
    const row = change(old ?? { id });
    if (row === undefined) rows.delete(id);
    else rows.set(id, row);
    return { accepted: true, row };
  };
  const control: MemoryControl = {
    rows,
    calls,
    failure: undefined,
    get: async (id) => begin('get', id),
    put: async (id, attributes, condition = {}) => write(id, condition, () => ({ ...attributes, id }), 'put'),
    update: async (id, { set = {}, add = {}, remove = [] }, condition = {}) =>
      write(
        id,
        condition,
        (old) => {
          const sums = Object.entries(add).map(([name, amount]) => [name, Number(old[name] ?? 0) + amount]);
          return Object.fromEntries(
            Object.entries({ ...old, ...set, ...Object.fromEntries(sums) }).filter(([name]) => !remove.includes(name)),
          );
        },
        'update',
      ),
    delete: async (id, condition = {}) => write(id, condition, () => undefined, 'delete'),
  };
  return control;
}

function passes(value: unknown, test: AttributeTest): boolean {
  if (test === 'absent') return value === undefined;
  if ('absentOrBelow' in test) return value === undefined || (value as number) < test.absentOrBelow;
  if (value === undefined) return false;
  if ('equals' in test) return value === test.equals;
  if ('between' in test) return (value as number) >= test.between[0] && (value as number) <= test.between[1];
  if ('atMost' in test) return (value as number) <= test.atMost;
  return (value as number) < test.below;
}
