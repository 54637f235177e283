import { Type } from 'class-transformer';
import { IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

/** What the service reads from its environment. Durations are in ms. */
export class Environment {
  /** The ensemble: `host:port,host:port/chroot`. */
  @IsNotEmpty({ message: 'must name at least one server, as host:port' })
  ZK_CONNECT = '127.0.0.1:2181';

  /** `user:password` for digest authentication. Default: none. */
  @IsOptional()
  @Matches(/^[^:]+:.+$/, { message: 'must be user:password' })
  ZK_AUTH?: string;

  /** The node under which all locks of this service live. */
  @Matches(/^\/.+[^/]$/, {
    message: 'must be an absolute path without a slash at its end, for example /locks',
  })
  ZK_ROOT = '/locks';

  /** After so long without a sign of life, ZooKeeper gives the locks of a process to the next one. */
  @Type(() => Number)
  @IsInt({ message: 'must be a whole number of ms between 1000 and 60000' })
  @Min(1_000, { message: 'must be a whole number of ms between 1000 and 60000' })
  @Max(60_000, { message: 'must be a whole number of ms between 1000 and 60000' })
  ZK_SESSION_TIMEOUT_MS = 10_000;

  /** 0 takes a free port. */
  @Type(() => Number)
  @IsInt({ message: 'must be a whole number between 0 and 65535' })
  @Min(0, { message: 'must be a whole number between 0 and 65535' })
  @Max(65_535, { message: 'must be a whole number between 0 and 65535' })
  PORT = 3000;

  @IsNotEmpty({ message: 'must be an address of this machine' })
  HOST = '127.0.0.1';

  /** PostgreSQL; without it the service keeps its data in `SQLITE_FILE`. */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\/.+/, { message: 'must be postgres://user:password@host:port/database' })
  DATABASE_URL?: string;

  /** Several processes on one machine may share the file. */
  @IsString()
  SQLITE_FILE = 'orders.sqlite';

  /** How long the simulated payment provider takes for one charge. */
  @Type(() => Number)
  @IsInt({ message: 'must be a whole number of ms between 0 and 60000' })
  @Min(0, { message: 'must be a whole number of ms between 0 and 60000' })
  @Max(60_000, { message: 'must be a whole number of ms between 0 and 60000' })
  GATEWAY_MS = 25;
}
