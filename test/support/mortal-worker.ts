import type { PaymentPort } from '#shared/payments/payment-port.ts';
import type { Worker } from '#shared/worker/worker.ts';

export interface MortalWorker {
  readonly worker: Worker;
  /** Resolves when it died; a worker that finishes first never does. */
  readonly died: Promise<'died'>;
}

/**
 * A worker whose process dies at one of its steps: before or after a write, before or after a call to the provider. From then on
 * nothing it does gets an answer; what was sent has happened.
 *
 * @param dieAtStep counted from 0; Infinity for one that lives
 */
export function createMortalWorker(base: Worker, payments: PaymentPort, dieAtStep: number): MortalWorker {
  let step = 0;
  let die: (how: 'died') => void = () => undefined;
  const died = new Promise<'died'>((resolve) => (die = resolve));
  const pass = async (): Promise<void> => {
    if (step++ < dieAtStep) return;
    die('died');
    await new Promise(() => undefined);
  };
  const around = async <T>(act: () => Promise<T>): Promise<T> => {
    await pass();
    const outcome = await act().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await pass();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
  const mortalPayments: PaymentPort = {
    capture: (request, call) => around(() => payments.capture(request, call)),
    find: (request, call) => around(() => payments.find(request, call)),
    void: (request, call) => around(() => payments.void(request, call)),
    refund: (request, call) => around(() => payments.refund(request, call)),
  };
  return {
    died,
    worker: {
      ...base,
      store: {
        write: (write) => around(() => base.store.write(write)),
        writeTogether: (writes) => around(() => base.store.writeTogether(writes)),
        read: (key) => around(() => base.store.read(key)),
      },
      gate: {
        async admit(definition) {
          const admission = await base.gate.admit(definition);
          return admission.admitted ? { ...admission, ports: { ...admission.ports, payments: mortalPayments } } : admission;
        },
      },
    },
  };
}
