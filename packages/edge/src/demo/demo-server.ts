import { createInterface } from 'node:readline'
import { answerLine } from './answer-message.ts'
import { DemoFolder } from './demo-folder.ts'

// The program of the demonstration server: an MCP server on standard input and output. It reads and writes no files, and opens no connections.
const folder = new DemoFolder()
for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerLine(folder, line)
  if (answer !== undefined) process.stdout.write(`${answer}\n`)
}
