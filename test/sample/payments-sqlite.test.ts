import { describePayments } from './support/payments.suite.js';
import { sqliteFile } from './support/sqlite-file.js';

describePayments('SQLite', sqliteFile);
