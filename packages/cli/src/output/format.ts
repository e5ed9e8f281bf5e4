import { type Command, InvalidArgumentError, Option } from 'commander'
import jmespath from 'jmespath'
import { Failure, usageFailure } from '../failure.ts'
import { print } from '../print.ts'
import { jsonLine, jsonText } from './printable.ts'
import { yamlText } from './yaml-text.ts'

export const outputs = ['table', 'json', 'yaml'] as const
export type Output = (typeof outputs)[number]

export interface OutputOptions {
  /** One JSON object a line. */
  json?: boolean
  output?: Output
  /** A JMESPath expression. */
  query?: string
}

/** How data is printed for programs. `lines` is one JSON object a line. */
export type DataFormat = 'lines' | 'json' | 'yaml'

/** Adds `--output`, `--query` and `--json` to a command. */
export function withOutput(command: Command, choices: readonly Output[] = outputs): Command {
  return command
    .hook('preAction', (_command, action) => void dataFormat(action.opts()))
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(choices))
    .option('--query <expression>', 'part of the JSON to print, as a JMESPath expression', expression)
    .addOption(new Option('--json', 'JSON for programs: one object a line').conflicts('output'))
}

/** The format for programs that the options ask for; undefined for text for people. */
export function dataFormat({ json = false, output, query }: OutputOptions): DataFormat | undefined {
  if (json) return 'lines'
  if (output !== 'table') return output ?? (query === undefined ? undefined : 'json')
  if (query !== undefined) throw usageFailure('--query selects from JSON; use it with --output json or yaml')
  return undefined
}

/** Prints data for programs. A terminal shows what others wrote, and does not act on it. */
export function printData(data: unknown, format: DataFormat, { query }: OutputOptions = {}): void {
  const selected = query === undefined ? data : select(data, query)
  if (format === 'yaml') print(yamlText(selected).trimEnd())
  else if (format === 'json') print(jsonText(selected))
  else for (const one of Array.isArray(selected) ? selected : [selected]) print(jsonLine(one))
}

/** Checked before anything is sent: a write must not be done and then end with a wrong expression. */
function expression(text: string): string {
  try {
    jmespath.compile(text)
  } catch (error) {
    throw new InvalidArgumentError(`is not a JMESPath expression: ${(error as Error).message}`)
  }
  return text
}

function select(data: unknown, query: string): unknown {
  try {
    const selected = jmespath.search(data, query)
    // The library finds what objects inherit too, such as `constructor`: a function, which JSON does not have.
    return JSON.parse(JSON.stringify(selected) ?? 'null')
  } catch (error) {
    throw new Failure(`--query cannot be applied: ${(error as Error).message}`)
  }
}
