import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * A tool server on standard input and output. It writes what it gets to the file `RECEIVED`, and answers each request with the lines of the file
 * `SCRIPT`, in chunks of a few bytes. In a line, `"$id"` is the id of the request.
 */
const { RECEIVED = '', SCRIPT = '' } = process.env
const chunkBytes = 7
const mostChunks = 1000

for await (const line of createInterface({ input: process.stdin })) {
  appendFileSync(RECEIVED, `${line}\n`)
  const { id, method } = JSON.parse(line)
  if (id === undefined || method === undefined) continue
  const lines: string[] =
    method === 'ping' ? ['{"jsonrpc":"2.0","id":"$id","result":{}}'] : JSON.parse(readFileSync(SCRIPT, 'utf8'))
  for (const one of lines) {
    const bytes = Buffer.from(one.replace('"$id"', JSON.stringify(id)), 'latin1')
    const step = Math.max(chunkBytes, Math.ceil(bytes.length / mostChunks))
    for (let at = 0; at < bytes.length; at += step) {
      await new Promise((resolve) => process.stdout.write(bytes.subarray(at, at + step), resolve))
    }
    process.stdout.write('\n')
  }
}
