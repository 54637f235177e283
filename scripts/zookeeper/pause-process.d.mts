export function pauseProcess(pid: number): void;
