import { processInvocation } from './invocation/invocation.ts'
import { asksForText, isHook, runCommand } from './start/run-command.ts'

const { args } = processInvocation
if (isHook(args)) {
  // A hook prints only if it blocks the call. Exit code 2 tells the coding agent to block it.
  process.stdout.on('error', () => process.exit(2))
} else {
  // A program such as `head` may close the output early. The command then finishes its work, such as a push of several files, without output.
  // Commands that only print call `endWithOutput`.
  let isTold = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    if (!isTold) process.stderr.write(`mandate: standard output cannot be written: ${error.message}\n`)
    isTold = true
    process.exitCode = 1
  })
  // Nobody can read that a message could not be written.
  process.stderr.on('error', () => {})
}

const [group, command] = args
// The server checks itself which addresses it may call, so its requests do not go through a proxy. A hook calls only its edge, without a proxy.
const sendsDirectly = group === 'up' || (group === 'edge' && command === 'hook')
const hasProxy = Object.keys(processInvocation.env).some((name) => /^(http|https|all)_proxy$/i.test(name))
if (hasProxy && !sendsDirectly && !asksForText(args)) {
  try {
    const { useProxy } = await import('./start/use-proxy.ts')
    useProxy(processInvocation.env)
  } catch (error) {
    process.stderr.write(`mandate: ${(error as Error).message}\n`)
    process.exit(isHook(args) ? 2 : 1)
  }
}

await runCommand(processInvocation)
