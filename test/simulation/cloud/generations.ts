import type { System } from '#shared/runtime/system.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { Process } from '../kernel/process.ts';
import { rewriteRequests } from '../network/rewrite-requests.ts';
import { workerOfKind } from './names.ts';

/**
 * Code of several versions side by side. The next generation writes every message as one version later and still reads the earlier
 * ones; the code itself is the same, and what it reads and writes is translated at its border.
 */
export interface Generations {
  readonly functionNames: readonly string[];
  /** Environments that start from now on run the function's next generation. */
  raise(functionName: string): void;
  adaptSystem(system: System, functionName: string, process: Process): System;
  adaptEvent(event: unknown, functionName: string, process: Process): unknown;
}

interface Border {
  readonly generation: number;
  /** What was read: the text as the code saw it → the text as it came. */
  readonly received: Map<string, string>;
}

/** These make messages anew from what a business object says; other jobs they send as they find them. */
const MAKERS = new Set(['rescue-jobs', 'sweep-state']);

export function createGenerations(functionNames: readonly string[], definitions: readonly AnyJobDefinition[]): Generations {
  const latest = new Map<string, number>();
  const borders = new WeakMap<Process, Border>();
  const kinds = new Map(definitions.map((definition) => [definition.kind, definition]));
  const workers = new Map(definitions.map((definition) => [workerOfKind(definition.kind), definition]));
  return {
    functionNames,
    raise: (functionName) => void latest.set(functionName, (latest.get(functionName) ?? 0) + 1),
    adaptSystem(system, functionName, process) {
      const border: Border = { generation: latest.get(functionName) ?? 0, received: new Map() };
      if (border.generation === 0) return system;
      borders.set(process, border);
      const raised = (text: string): string => raiseVersion(text, kinds, border.generation);
      return rewriteRequests(system, {
        storedText: (text) => border.received.get(text) ?? raised(text),
        outboxVersion: (kind, version) => (version === kinds.get(kind)?.version ? version + border.generation : version),
        sentText(text) {
          const copied = border.received.get(text);
          if (copied !== undefined) return copied;
          const isMade = MAKERS.has(functionName) && kinds.get(messageIn(text)?.kind ?? '')?.item !== undefined;
          return isMade ? raised(text) : text;
        },
      });
    },
    adaptEvent(event, functionName, process) {
      const border = borders.get(process);
      const definition = workers.get(functionName);
      if (border === undefined || definition === undefined) return event;
      const { Records } = event as { readonly Records: readonly { readonly body: string }[] };
      return { Records: Records.map((record) => ({ ...record, body: lowered(record.body, definition, border) })) };
    },
  };
}

/** Later versions are left as they are: this generation cannot read them either. */
function lowered(body: string, { kind, version }: AnyJobDefinition, { generation, received }: Border): string {
  const message = messageIn(body);
  const isReadable = message?.kind === kind && message.version > version && message.version <= version + generation;
  const text = isReadable ? JSON.stringify({ ...message, version }) : body;
  received.set(text, body);
  return text;
}

function raiseVersion(text: string, kinds: ReadonlyMap<string, AnyJobDefinition>, generation: number): string {
  const message = messageIn(text);
  if (message === undefined || message.version !== kinds.get(message.kind)?.version) return text;
  return JSON.stringify({ ...message, version: message.version + generation });
}

interface MessageText {
  readonly kind: string;
  readonly version: number;
}

function messageIn(text: string): MessageText | undefined {
  if (!text.startsWith('{') || !text.includes('"idempotencyKey"')) return undefined;
  try {
    const value = JSON.parse(text) as Partial<MessageText>;
    return typeof value.kind === 'string' && typeof value.version === 'number' ? (value as MessageText) : undefined;
  } catch {
    return undefined;
  }
}
