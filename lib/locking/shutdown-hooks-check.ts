import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { NO_SHUTDOWN_HOOKS } from '../zk-lock.messages.js';

/** The signal by which process managers ask a process to stop. */
const STOP_SIGNAL = 'SIGTERM';
/** `enableShutdownHooks()` is often called after the start; by then it has been. */
const CHECK_AFTER_MS = 2_000;

/** @internal Warns, once per application, when a stopped process would keep its locks. */
@Injectable()
export class ShutdownHooksCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ZkLockModule');
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    this.timer = setTimeout(() => {
      if (process.listenerCount(STOP_SIGNAL) === 0) this.logger.warn(NO_SHUTDOWN_HOOKS(STOP_SIGNAL));
    }, CHECK_AFTER_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }
}
