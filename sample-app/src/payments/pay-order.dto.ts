import { IsInt, IsOptional, Max, Min } from 'class-validator';

export class PayOrderDto {
  /** How long the simulated provider takes for this charge, in ms. Default: `GATEWAY_MS`. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(120_000)
  gatewayMs?: number;
}
