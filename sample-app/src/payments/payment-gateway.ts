import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { Environment } from '../config/environment.js';

/** What the payment provider answers: the money has moved. */
export interface Charge {
  readonly id: string;
  readonly amount: number;
}

/** Stands for the payment provider: slow, and a charge that was sent cannot be called back, only refunded. */
@Injectable()
export class PaymentGateway {
  private readonly defaultMs: number;

  constructor(config: ConfigService<Environment, true>) {
    this.defaultMs = config.get('GATEWAY_MS', { infer: true });
  }

  async charge(amount: number, takesMs = this.defaultMs): Promise<Charge> {
    await sleep(takesMs);
    return { id: randomUUID(), amount };
  }

  async refund(_charge: Charge): Promise<void> {
    await sleep(this.defaultMs);
  }
}
