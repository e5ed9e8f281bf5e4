import { spawn } from 'node:child_process'
import { hasDisplay } from '../invocation/environment.ts'
import { print } from '../output/print.ts'
import { ownerEmail, type People } from './people.ts'

/** Says how to sign in to the dashboard, and opens it in a browser if this machine has a display. */
export function openDashboard(url: string, { password }: People): void {
  print(`\nThe dashboard shows what you have just seen: ${url}`)
  print(`  E-mail     ${ownerEmail}`)
  print(`  Password   ${password}`)
  print('Ctrl-C stops every process of the demonstration.')
  const program = browserProgram()
  if (program === undefined) return
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  // Without such a program, the address above is enough.
  child.on('error', () => {})
  child.unref()
}

function browserProgram(): string | undefined {
  if (process.platform === 'darwin') return 'open'
  return hasDisplay() ? 'xdg-open' : undefined
}
