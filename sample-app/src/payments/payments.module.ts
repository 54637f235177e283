import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrdersModule } from '../orders/orders.module.js';
import { PaymentCounters } from './payment.counters.js';
import { PaymentGateway } from './payment-gateway.js';
import { Payment } from './payment.entity.js';
import { PaymentLedger } from './payment.ledger.js';
import { PaymentsController } from './payments.controller.js';
import { PaymentsService } from './payments.service.js';

@Module({
  imports: [OrdersModule, TypeOrmModule.forFeature([Payment])],
  controllers: [PaymentsController],
  providers: [PaymentCounters, PaymentGateway, PaymentLedger, PaymentsService],
})
export class PaymentsModule {}
