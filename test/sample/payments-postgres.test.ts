import { PostgresServer } from '../support/postgres-server.js';
import { describePayments } from './support/payments.suite.js';

describePayments('PostgreSQL', async () => {
  const server = await PostgresServer.start();
  return { variables: { DATABASE_URL: server.url }, stop: () => server.stop() };
});
