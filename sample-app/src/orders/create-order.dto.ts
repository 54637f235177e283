import { IsInt, Max, Min } from 'class-validator';

export class CreateOrderDto {
  /** In cents, 1 to 100,000,000. */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  amount!: number;
}
