import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../sample-app/src/create-app.js';

export interface HttpAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** One instance of the sample, listening on a free port of 127.0.0.1. */
export class SampleService implements AsyncDisposable {
  private constructor(
    readonly app: NestExpressApplication,
    private readonly url: string,
  ) {}

  static async start(variables: NodeJS.ProcessEnv): Promise<SampleService> {
    const app = await createApp(variables, { logger: false });
    await app.listen(0, '127.0.0.1');
    return new SampleService(app, await app.getUrl());
  }

  get(path: string): Promise<HttpAnswer> {
    return this.send('GET', path);
  }

  post(path: string, content?: object): Promise<HttpAnswer> {
    return this.send('POST', path, content);
  }

  async createOrder(amount = 1_000): Promise<string> {
    const { body } = await this.post('/orders', { amount });
    return String(body.id);
  }

  /** The booked payments of an order. */
  async payments(orderId: string): Promise<Record<string, unknown>[]> {
    const { body } = await this.get(`/orders/${orderId}/payments`);
    return body as unknown as Record<string, unknown>[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
  }

  private async send(method: string, path: string, content?: object): Promise<HttpAnswer> {
    const response = await fetch(this.url + path, {
      method,
      ...(content && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
}
