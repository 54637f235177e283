export class ProcessGuard {
  constructor(folder?: string);
  watch(pid: number): void;
  forget(): void;
  release(): void;
}
