import { createRequire } from 'node:module'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { print } from './print.ts'
import { jsonLine, jsonText } from './printable.ts'
import { yamlText } from './yaml-text.ts'

const require = createRequire(import.meta.url)
// Loaded only for --query, because most commands do not need it.
const loadJmespath = () => require('jmespath') as typeof import('jmespath')

export const outputs = ['table', 'json', 'yaml'] as const
export type Output = (typeof outputs)[number]

export interface OutputOptions {
  /** Prints one JSON object per line. */
  json?: boolean
  output?: Output
  /** A JMESPath expression. */
  query?: string
}

/** Output formats for programs. `lines` is one JSON object per line. */
export type DataFormat = 'lines' | 'json' | 'yaml'

/** Adds `--output`, `--query` and `--json` to a command. */
export function withOutput(command: Command, choices: readonly Output[] = outputs): Command {
  return command
    .hook('preAction', (_command, action) => void dataFormat(action.opts()))
    .addOption(new Option('-o, --output <format>', 'the output format').choices(choices))
    .option('--query <expression>', 'a JMESPath expression that selects from the JSON', expression)
    .addOption(new Option('--json', 'JSON for programs: one object per line').conflicts('output'))
}

/**
 * Returns the requested machine-readable format. Returns undefined if the output is plain text for people.
 * @throws Failure if `--query` is combined with `--output table`
 */
export function dataFormat({ json = false, output, query }: OutputOptions): DataFormat | undefined {
  if (json) return 'lines'
  if (output !== 'table') return output ?? (query === undefined ? undefined : 'json')
  if (query !== undefined) throw usageFailure('--query selects from JSON; use it with --output json or yaml')
  return undefined
}

/** Prints data for programs. Escapes control characters, so that a terminal does not interpret text from other people. */
export function printData(data: unknown, format: DataFormat, { query }: OutputOptions = {}): void {
  const selected = query === undefined ? data : select(data, query)
  if (format === 'yaml') print(yamlText(selected).trimEnd())
  else if (format === 'json') print(jsonText(selected))
  else for (const one of Array.isArray(selected) ? selected : [selected]) print(jsonLine(one))
}

/** Checks a `--query` expression before any request. Otherwise a command could change data and then fail to print it. */
function expression(text: string): string {
  try {
    loadJmespath().compile(text)
  } catch (error) {
    throw new InvalidArgumentError(`not a valid JMESPath expression: ${(error as Error).message}`)
  }
  return text
}

function select(data: unknown, query: string): unknown {
  try {
    const selected = loadJmespath().search(data, query)
    // The JMESPath library also finds inherited functions, such as `constructor`. JSON.stringify removes them from the result.
    return JSON.parse(JSON.stringify(selected) ?? 'null')
  } catch (error) {
    throw new Failure(`--query cannot be applied: ${(error as Error).message}`)
  }
}
