import { randomUUID } from 'node:crypto';
import { PaymentGateway, type Charge } from '../../../sample-app/src/payments/payment-gateway.js';
import type { SampleService } from './sample-service.js';

/** The payment provider in the test's hand: charges wait until they are let go, so the test decides the order. */
export class HeldGateway {
  /** How many charges have arrived. */
  arrived = 0;
  private waiting: (() => void)[] = [];

  /** Takes the place of the services' provider while `work` runs. */
  static async during<T>(
    services: readonly SampleService[],
    work: (gateway: HeldGateway) => Promise<T>,
  ): Promise<T> {
    const held = new HeldGateway();
    const gateways = services.map(({ app }) => app.get(PaymentGateway));
    for (const gateway of gateways) gateway.charge = (amount) => held.charge(amount);
    try {
      return await work(held);
    } finally {
      held.letGo();
      // The class's own method is visible again.
      for (const gateway of gateways) Reflect.deleteProperty(gateway, 'charge');
    }
  }

  /** Lets all charges go that have arrived. */
  letGo(): void {
    for (const go of this.waiting) go();
    this.waiting = [];
  }

  private async charge(amount: number): Promise<Charge> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.arrived++;
    });
    return { id: randomUUID(), amount };
  }
}
