import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from '../failure.ts'

/** Asks a question at the terminal. Writes the question to standard error. */
export function ask(question: string): Promise<string> {
  return answerTo(question, process.stderr)
}

/** Asks for a secret. The typed text is not echoed. */
export async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await answerTo(question, silent)
  } finally {
    process.stderr.write('\n')
  }
}

function answerTo(question: string, output: NodeJS.WritableStream): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new Failure('cannot ask a question, because standard input is not a terminal', {
      hint: 'give --email, and the password on standard input with --password-stdin',
      exitCode: 2,
    })
  }
  return new Promise((resolve, reject) => {
    // This turns off the terminal's echo. The question comes after it, so that even a fast answer stays hidden.
    const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
    process.stderr.write(question)
    let answered = false
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => {
      if (!answered) reject(new Failure('the input ended before the question was answered'))
    })
    lines.once('line', (answer) => {
      answered = true
      lines.close()
      resolve(answer)
    })
  })
}
