import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ConfigurationError } from './configuration.error.js';
import { Environment } from './environment.js';

const SECRET = new Set(['ZK_AUTH', 'DATABASE_URL']);

/**
 * Takes what concerns this service out of the environment; an empty variable counts as not set.
 * @throws ConfigurationError naming every wrong variable, its value (unless secret) and what is allowed.
 */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const known = Object.keys(new Environment());
  const given = Object.fromEntries(
    known.flatMap((name) => (variables[name] ? [[name, variables[name].trim()]] : [])),
  );
  const environment = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const problems = validateSync(environment).map(({ property, constraints = {} }) => {
    const value = SECRET.has(property) ? '(hidden)' : JSON.stringify(given[property]);
    return `${property}=${value}: ${[...new Set(Object.values(constraints))].join('; ')}`;
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return environment;
}
