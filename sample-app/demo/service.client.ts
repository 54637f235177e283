import type { PaymentOutcome } from '../src/payments/payments.service.js';

const ANSWER_MS = 120_000;

type Json<T> = { [K in keyof T]: T[K] extends bigint | null ? string | null : T[K] };

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

export interface Contender {
  readonly state: 'holding' | 'waiting';
  readonly pid?: number;
}

export type PayPath = 'pay' | 'pay-unsafe';
export type PayAnswer = Answer<Json<PaymentOutcome> & { error?: string; message?: string }>;

/** A process of the service, seen by its clients. */
export class ServiceClient {
  constructor(private readonly url: string) {}

  async createOrder(amount: number): Promise<string> {
    const { status, body } = await this.send<{ id: string }>('POST', '/orders', { amount });
    if (status !== 201) throw new Error(`POST /orders answered ${status}: ${JSON.stringify(body)}`);
    return body.id;
  }

  pay(orderId: string, path: PayPath, gatewayMs?: number): Promise<PayAnswer> {
    return this.send('POST', `/orders/${orderId}/${path}`, { gatewayMs });
  }

  order(orderId: string): Promise<{ status: string; fencingToken: string }> {
    return this.get(`/orders/${orderId}`);
  }

  payments(orderId: string): Promise<{ paidBy: string; fencingToken: string | null }[]> {
    return this.get(`/orders/${orderId}/payments`);
  }

  contenders(orderId: string): Promise<Contender[]> {
    return this.get(`/orders/${orderId}/lock`);
  }

  counters(): Promise<{ charges: number; refunds: number; staleWritesRefused: number }> {
    return this.get('/payments/counters');
  }

  /** What ZooKeeper granted, in ms: after so long it gives the locks of a silent process to the next one. */
  async sessionTimeoutMs(): Promise<number> {
    const { details } = await this.get<{ details: { zookeeper: { negotiatedTimeoutMs: number } } }>(
      '/health/ready',
    );
    return details.zookeeper.negotiatedTimeoutMs;
  }

  private async get<T>(path: string): Promise<T> {
    const { status, body } = await this.send<T>('GET', path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  private async send<T>(method: string, path: string, content?: object): Promise<Answer<T>> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(content && { body: JSON.stringify(content) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }
}
