import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { ItemWrite } from '#shared/item/expression.ts';
import type { ItemStore } from '#shared/item/item-store.ts';

type Item = Record<string, unknown>;
type Step = (item: Item, write: ItemWrite) => void;

export interface MemoryStore extends ItemStore {
  put(key: ItemKey, item: Item): void;
}

/**
 * The State table as a map that carries out the protocol's updates at once.
 *
 * Does not protect against anything: conditions are not looked at. Whoever uses it is alone, so each would hold; judging them is
 * the table's work, and what is measured here is ours.
 */
export function createMemoryStore(): MemoryStore {
  const items = new Map<string, Item>();
  const programs = new Map<string, readonly Step[]>();
  const idOf = ({ pk, sk }: ItemKey): string => `${pk}|${sk}`;
  const imageOf = (write: ItemWrite): Item => {
    const id = idOf(write.key);
    const item: Item = { ...items.get(id), ...write.key, ...write.item };
    if (write.update !== undefined) {
      const program = programs.get(write.update) ?? programOf(write.update);
      programs.set(write.update, program);
      for (const step of program) step(item, write);
    }
    items.set(id, item);
    return item;
  };
  return {
    put: (key, item) => void items.set(idOf(key), { ...item, ...key }),
    write: async (write) => ({ accepted: true, image: imageOf(write) }),
    writeTogether: async ([first, ...others]) => {
      if (first === undefined) throw new Error('nothing to write');
      for (const other of others) imageOf(other);
      return { accepted: true, image: imageOf(first) };
    },
    read: async (key) => items.get(idOf(key)) as ItemImage | undefined,
  };
}

const CLAUSE = /(SET|REMOVE|ADD) (.*?)(?= (?:SET|REMOVE|ADD) |$)/g;

function programOf(update: string): Step[] {
  return [...update.matchAll(CLAUSE)].flatMap(([, word, list = '']) => list.split(/, (?![^(]*\))/).map((part) => stepOf(word, part)));
}

function stepOf(word: string | undefined, part: string): Step {
  const [, name = '', value = ''] = /^(#\w+)(?:.*(:\w+))?/.exec(part) ?? [];
  const keeps = part.includes('if_not_exists');
  return (item, { names, values }) => {
    const attribute = names[name] ?? '';
    if (word === 'REMOVE') delete item[attribute];
    else if (word === 'ADD') item[attribute] = Number(item[attribute] ?? 0) + Number(values[value]);
    else if (!keeps || item[attribute] === undefined) item[attribute] = values[value];
  };
}
