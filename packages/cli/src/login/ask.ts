import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from '../failure.ts'

/** Asks at the terminal; the question goes to standard error. */
export function ask(question: string): Promise<string> {
  return answerTo(question, process.stderr)
}

/** Asks for something that must not be seen: what is typed is not echoed. */
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
    throw new Failure('there is no terminal to ask at', {
      hint: 'give --email, and the password on standard input with --password-stdin',
      exitCode: 2,
    })
  }
  return new Promise((resolve, reject) => {
    // The terminal echoes nothing from here on, so it is asked only now: a quick answer must not be seen either.
    const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
    process.stderr.write(question)
    let answered = false
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => {
      if (!answered) reject(new Failure('nothing was answered'))
    })
    lines.once('line', (answer) => {
      answered = true
      lines.close()
      resolve(answer)
    })
  })
}
