import { readEdgeAddress, readHookConfig, readStateDir } from '@mandate/edge/hook-config'
import { isToolName } from '@mandate/policy/tool-name'
import { askEdge, type Decision } from '@mandate/sdk/ask-edge'
import { EdgeUnavailable } from '@mandate/sdk/tool-errors'
import type { Command } from 'commander'
import { edgeState } from '../invocation/environment.ts'
import { Failure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { dataFormat, type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { printable, printableLines } from '../output/printable.ts'
import { showOne } from '../output/show.ts'
import { type Called, callTool } from './call-tool.ts'
import { findServedAgent } from './find-served-agent.ts'
import { findServedTool } from './find-served-tool.ts'
import { resultText } from './result-text.ts'

interface TryOptions extends OutputOptions {
  agent?: string
  decideOnly?: true
  edge?: string
  state?: string
}

/** Exit codes of a call that does not pass. */
const denied = 2
const held = 3
const decideLimitMs = 20_000

/** Adds `try`, which makes one call of an agent through a running edge, or only asks the edge about the call. */
export function addTryCommand(program: Command): void {
  withOutput(program.command('try <tool> [arguments]'))
    .description(
      'make one call of an agent through the edge on this machine; if no tool server of the edge has the tool, only ask the edge to decide',
    )
    .option('--agent <agent>', 'the agent that calls; required if the edge serves several agents; takes its name or id')
    .option('--decide-only', 'ask the edge to decide the call, and execute nothing')
    .option('--edge <url>', 'the URL of the edge')
    .option('--state <folder>', 'the edge’s state folder')
    .addHelpText('after', help)
    .action(tryCall)
}

const help = `
The edge executes the call only if the decision lets the call pass and the tool is mcp:<server>/<tool> with a tool server of
this edge. The tool then really runs. For every other tool, and with --decide-only, nothing is executed. The edge records the decision in each case.

Exit codes: 0 the call passes, 1 failure, 2 the call is denied, 3 the call waits for a person.`

async function tryCall(tool: string, args: string | undefined, options: TryOptions): Promise<void> {
  if (!isToolName(tool))
    throw new Failure(`${printable(tool)} is not the name of a tool`, {
      hint: 'a name has a kind, a place and an operation, such as mcp:files/delete or fn:mail/send',
    })
  const argsJson = objectText(args ?? '{}')
  const given = { MANDATE_EDGE_LISTEN: options.edge, MANDATE_EDGE_STATE: edgeState(options.state) }
  const { env } = invocation()
  const url = readEdgeAddress(given, env)
  const agentId = await findServedAgent(url, () => readStateDir(given, env), options.agent)
  const { token } = readHookConfig({ ...given, MANDATE_EDGE_AGENTS: agentId }, env)
  const served = options.decideOnly ? undefined : await findServedTool(url, token, tool)
  if (served) {
    const called = await callTool(served, token, argsJson)
    showCalled(tool, served.server, called, options)
    return setExitCode(called.decision, called.result?.isError === true)
  }
  const question = { edgeUrl: url, token, tool, argsJson, redacts: true, timeoutMs: decideLimitMs, signal: undefined }
  const decision = await askEdge(question).catch((error: Error) => {
    throw error instanceof EdgeUnavailable ? new Failure(error.message) : error
  })
  showDecision(tool, decision, options, { executed: false })
  if (!dataFormat(options))
    note(
      options.decideOnly
        ? 'Nothing was executed: --decide-only asks for the decision only.'
        : 'Nothing was executed: no tool server of this edge has the tool, so the edge only decided the call.',
    )
  setExitCode(decision, false)
}

function setExitCode({ enforced, verdict }: Decision, hasFailed: boolean): void {
  if (enforced && verdict !== 'allow') invocation().exitCode = verdict === 'deny' ? denied : held
  else if (hasFailed) invocation().exitCode = 1
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

/** The most characters of a result that a terminal gets. */
const longestShown = 64 * 1024

/** Prints a call that went through the edge: the decision, and the result of the tool if the call passed. */
function showCalled(tool: string, server: string, called: Called, options: OutputOptions): void {
  const { decision, isRedacted, result } = called
  const more = { executed: result !== null, ...(isRedacted && { redacted: true }), ...(result && { result }) }
  showDecision(tool, decision, options, more)
  if (dataFormat(options)) return
  if (!result) {
    note('Nothing was executed: the edge stopped the call.')
    return
  }
  const text = resultText(result)
  if (text !== '') print(`\n${printableLines(text.slice(0, longestShown))}`)
  if (text.length > longestShown) note(`the result is longer than ${longestShown} characters; --json has all of it`)
  note(
    result.isError === true
      ? `The tool server ${server} got the call, and the result is an error.`
      : `The tool server ${server} executed the call.`,
  )
}

interface Execution {
  executed: boolean
  /** True if the edge redacted arguments of a call that it executed. */
  redacted?: boolean
  result?: object
}

function showDecision(tool: string, decision: Decision, options: OutputOptions, execution: Execution): void {
  const { decisionId, verdict, enforced, rule, reason, approval, args, page } = decision
  const item = {
    decision_id: decisionId,
    tool,
    verdict,
    enforced,
    rule,
    reason,
    ...(args && { args }),
    ...(approval && { approval: { approval_id: approval.approvalId, expires_at: approval.expiresAt.toISOString() } }),
    ...(page !== undefined && { page }),
    ...execution,
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
    {
      title: 'Redacted to',
      value: () => (execution.redacted ? 'other arguments, which the tool got' : args && JSON.stringify(args)),
    },
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
    ...(page === undefined ? [] : [{ title: 'Page', value: () => page }]),
  ])
  if (!dataFormat(options) && approval && enforced && verdict === 'require_approval')
    note(
      `Approve it in the dashboard, or sign in with npx mandate login --url <address of Mandate> and run:\n  npx mandate approvals approve ${approval.approvalId}\nThen run the same command again. The call passes once.`,
    )
}
