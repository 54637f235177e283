import { ValidationPipe, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

const withBigInts = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

export interface AppOptions {
  /** False is silent. Default: Nest's. */
  readonly logger?: LoggerService | false;
}

/**
 * The whole service, not listening yet.
 * @param variables what would be `process.env`.
 * @throws ConfigurationError when they are not valid.
 */
export async function createApp(
  variables: NodeJS.ProcessEnv,
  options: AppOptions = {},
): Promise<NestExpressApplication> {
  const nestOptions = { ...options, abortOnError: false };
  const app = await NestFactory.create<NestExpressApplication>(AppModule.register(variables), nestOptions);
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  app.set('json replacer', withBigInts);
  // Gives the locks back at SIGTERM, so that a restart costs nobody a session timeout.
  app.enableShutdownHooks();
  return app;
}
