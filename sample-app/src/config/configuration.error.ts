/** The service cannot start with this environment. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The environment of the service is not valid:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}
