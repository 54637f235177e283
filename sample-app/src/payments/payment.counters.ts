import { Injectable } from '@nestjs/common';

/** What this process did since it started. */
@Injectable()
export class PaymentCounters {
  charges = 0;
  refunds = 0;
  staleWritesRefused = 0;
}
