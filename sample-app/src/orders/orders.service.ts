import { randomUUID } from 'node:crypto';
import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import { Order } from './order.entity.js';

@Injectable()
export class OrdersService {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly transactions: Transactions,
  ) {}

  async create(amount: number): Promise<Order> {
    const order = this.orders.create({
      id: randomUUID(),
      amount,
      status: 'open',
      fencingToken: 0n,
      createdAt: new Date(),
    });
    await this.transactions.run((manager) => manager.insert(Order, order));
    return order;
  }

  /** @throws NotFoundException */
  async get(id: string): Promise<Order> {
    const order = await this.orders.findOneBy({ id });
    if (!order) throw new NotFoundException(`There is no order ${id}`);
    return order;
  }
}
