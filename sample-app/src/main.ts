import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { ConfigurationError } from './config/configuration.error.js';
import type { Environment } from './config/environment.js';
import { createApp } from './create-app.js';

try {
  const app = await createApp(process.env);
  const config = app.get<ConfigService<Environment, true>>(ConfigService);
  await app.listen(config.get('PORT', { infer: true }), config.get('HOST', { infer: true }));
  Logger.log(`Listening on ${await app.getUrl()}`, 'OrderService');
} catch (error) {
  Logger.error(error instanceof ConfigurationError ? error.message : error, 'OrderService');
  process.exit(1);
}
