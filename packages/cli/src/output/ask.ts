import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'

/**
 * Asks a question at the terminal. Writes the question to standard error.
 * @param hint how to answer without a terminal
 * @throws Failure with the hint if standard input is not a terminal
 */
export function ask(question: string, hint: string): Promise<string> {
  return answerTo(question, hint, invocation().stderr)
}

/** Like `ask`, for a secret. The typed text is not echoed. */
export async function askSecret(question: string, hint: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await answerTo(question, hint, silent)
  } finally {
    invocation().stderr.write('\n')
  }
}

function answerTo(question: string, hint: string, output: NodeJS.WritableStream): Promise<string> {
  const { stdin, stderr } = invocation()
  if (!stdin.isTTY) throw usageFailure('cannot ask a question, because standard input is not a terminal', hint)
  return new Promise((resolve, reject) => {
    // This turns off the terminal's echo. The question comes after it, so that even a fast answer stays hidden.
    const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
    stderr.write(question)
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
