import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invocation } from '../invocation/invocation.ts'
import { type DataFormat, type OutputOptions, printData } from '../output/format.ts'
import { endWithOutput, print } from '../output/print.ts'
import { printable, printableLines } from '../output/printable.ts'

/** Prints the status line and the headers of a response. */
export function printHeaders({ status, headers }: Response): void {
  print(`HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd())
  for (const [name, value] of headers) print(`${printable(name)}: ${printable(value)}`)
  print('')
}

/** Prints a response body: JSON in the requested format, any other type unchanged. @returns the parsed JSON, if any */
export async function printBody(response: Response, format: DataFormat, options: OutputOptions): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) {
    const text = await response.text()
    if (text === '') return undefined
    const data: unknown = JSON.parse(text)
    printData(data, format, options)
    return data
  }
  const { stdout } = invocation()
  if (stdout.isTTY) {
    const text = await response.text()
    if (text !== '') print(printableLines(text).trimEnd())
  } else if (response.body) {
    endWithOutput()
    // Keeps every byte, because an export is verified byte by byte.
    await pipeline(Readable.fromWeb(response.body as never), stdout, { end: false })
  }
  return undefined
}
