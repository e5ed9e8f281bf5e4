import { runStdioEdge } from '../../../src/mcp/stdio/stdio-edge.ts'
import { policyGuard } from './policy-guard.ts'

// Usage: node stdio-edge-process.ts settings command [argument ...]
// `settings` is a JSON object: `server` is the name of the tool server, `document` is the policy document.
const [settings = '{}', command = '', ...args] = process.argv.slice(2)
const { server, document } = JSON.parse(settings)
const { stdin, stdout, stderr, env } = process
const log = {
  info: () => {},
  warn: (fields: object, message: string) => void stderr.write(`${message} ${JSON.stringify(fields)}\n`),
}
const guard = policyGuard(document)
process.exitCode = await runStdioEdge({
  server,
  guard,
  command,
  args,
  env: env as Record<string, string>,
  stdin,
  stdout,
  stderr,
  log,
})
