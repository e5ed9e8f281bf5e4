import { processInvocation } from './invocation/invocation.ts'
import { asksForText, isHook, runCommand } from './start/run-command.ts'

// A program such as `head` may close the output early. For most commands this is not a failure. A hook exits with 2, which
// tells the coding agent to block the tool call: a hook prints only if it blocks the call.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(isHook(processInvocation.args) ? 2 : 0)
  throw error
})

const [group, command] = processInvocation.args
// The server checks itself which addresses it may call, so its requests do not go through a proxy. A hook calls only its edge, without a proxy.
const sendsDirectly = group === 'up' || (group === 'edge' && command === 'hook')
const hasProxy = Object.keys(processInvocation.env).some((name) => /^(http|https|all)_proxy$/i.test(name))
if (hasProxy && !sendsDirectly && !asksForText(processInvocation.args)) {
  try {
    const { useProxy } = await import('./start/use-proxy.ts')
    useProxy(processInvocation.env)
  } catch (error) {
    process.stderr.write(`mandate: ${(error as Error).message}\n`)
    process.exit(isHook(processInvocation.args) ? 2 : 1)
  }
}

await runCommand(processInvocation)
