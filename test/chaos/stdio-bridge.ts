import { createInterface } from 'node:readline'

/**
 * A tool server on standard input and output. It sends each line to the address in its first argument, and writes what comes back. If an answer
 * breaks off, it writes the part that came, and exits.
 */
const [, , url = ''] = process.argv

for await (const line of createInterface({ input: process.stdin })) void pass(line)
process.exit()

async function pass(line: string): Promise<void> {
  let text = ''
  try {
    const { body } = await fetch(url, { method: 'POST', body: line })
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk
    process.stdout.write(text)
  } catch {
    // A request that hung until it was dropped has no answer.
    if (text !== '') process.stdout.write(text, () => process.exit(1))
  }
}
