import { readEdgeAddress, readHookConfig } from '@mandate/edge/hook-config'
import { isToolName } from '@mandate/policy/tool-name'
import { askEdge, type Decision } from '@mandate/sdk/ask-edge'
import { EdgeUnavailable } from '@mandate/sdk/tool-errors'
import type { Command } from 'commander'
import { edgeState } from '../invocation/environment.ts'
import { Failure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { dataFormat, type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { printable } from '../output/printable.ts'
import { showOne } from '../output/show.ts'
import { findServedAgent } from './find-served-agent.ts'

interface TryOptions extends OutputOptions {
  agent?: string
  edge?: string
  state?: string
}

/** Exit codes of a call that does not pass. */
const denied = 2
const held = 3
const decideLimitMs = 20_000

/** Adds `try`, which asks a running edge about one call and executes nothing. */
export function addTryCommand(program: Command): void {
  withOutput(program.command('try <tool> [arguments]'))
    .description(
      'ask the edge on this machine to decide one call of an agent; the call is recorded, and nothing is executed',
    )
    .option('--agent <agent>', 'the agent that calls; required if the edge serves several agents; takes its name or id')
    .option('--edge <url>', 'the URL of the edge')
    .option('--state <folder>', 'the edge’s state folder')
    .addHelpText(
      'after',
      '\nExit codes: 0 the call passes, 1 failure, 2 the call is denied, 3 the call waits for a person.',
    )
    .action(tryCall)
}

async function tryCall(tool: string, args: string | undefined, options: TryOptions): Promise<void> {
  if (!isToolName(tool))
    throw new Failure(`${printable(tool)} is not the name of a tool`, {
      hint: 'a name has a kind, a place and an operation, such as mcp:files/delete or fn:mail/send',
    })
  const argsJson = objectText(args ?? '{}')
  const given = { MANDATE_EDGE_LISTEN: options.edge, MANDATE_EDGE_STATE: edgeState(options.state) }
  const { env } = invocation()
  const { url, stateDir } = readEdgeAddress(given, env)
  const agentId = await findServedAgent(url, stateDir, options.agent)
  const { token } = readHookConfig({ ...given, MANDATE_EDGE_AGENTS: agentId }, env)
  const decision = await askEdge({
    edgeUrl: url,
    token,
    tool,
    argsJson,
    redacts: true,
    timeoutMs: decideLimitMs,
    signal: undefined,
  }).catch((error: Error) => {
    throw error instanceof EdgeUnavailable ? new Failure(error.message) : error
  })
  show(tool, decision, options)
  if (decision.enforced && decision.verdict === 'deny') invocation().exitCode = denied
  if (decision.enforced && decision.verdict === 'require_approval') invocation().exitCode = held
}

/** @throws Failure if the text is not a JSON object */
function objectText(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Failure(`the arguments are not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('the arguments must be a JSON object, such as {"path": "/srv/notes.md"}')
  // The edge gets the text as it was given. It refuses texts that parsers read differently.
  return text
}

const words = { allow: 'Allowed', deny: 'Denied', require_approval: 'Waits for a person' }

function show(tool: string, decision: Decision, options: OutputOptions): void {
  const { decisionId, verdict, enforced, rule, reason, approval, args } = decision
  const item = {
    decision_id: decisionId,
    tool,
    verdict,
    enforced,
    rule,
    reason,
    ...(args && { args }),
    ...(approval && { approval: { approval_id: approval.approvalId, expires_at: approval.expiresAt.toISOString() } }),
  }
  const isWatched = !enforced && verdict !== 'allow'
  showOne(item, options, [
    {
      title: 'Decision',
      value: () => (isWatched ? `${words[verdict]}, but not enforced: the mode is monitor` : words[verdict]),
    },
    { title: 'Tool', value: () => tool },
    { title: 'Rule', value: () => rule?.name },
    { title: 'Reason', value: () => reason },
    { title: 'Redacted to', value: () => args && JSON.stringify(args) },
    ...(approval
      ? [
          { title: 'Approval', value: () => approval.approvalId },
          {
            title: verdict === 'deny' ? 'Denied until' : 'Expires',
            value: () => approval.expiresAt.toISOString(),
          },
        ]
      : []),
    { title: 'Id', value: () => decisionId },
  ])
  if (dataFormat(options)) return
  if (approval && enforced && verdict === 'require_approval')
    note(
      `Approve it in the dashboard, or sign in with npx mandate login --url <address of Mandate> and run:\n  npx mandate approvals approve ${approval.approvalId}\nThen run the same command again. The call passes once.`,
    )
  note('Nothing was executed: mandate try only decides the call.')
}
