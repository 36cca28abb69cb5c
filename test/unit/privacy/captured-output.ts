import { vi } from 'vitest';

/** Everything a function prints, whichever way. */
export function captureOutput(): { readonly lines: string[]; restore(): void } {
  const lines: string[] = [];
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void lines.push(parts.map(String).join(' '))),
  );
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text: unknown) => {
      lines.push(String(text));
      return true;
    }),
  );
  return { lines, restore: () => [...spies, ...streams].forEach((spy) => void spy.mockRestore()) };
}
