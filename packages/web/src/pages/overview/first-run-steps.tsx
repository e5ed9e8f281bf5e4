import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy } from '../../ui/actions/copy.tsx'
import { CopyFrame } from '../../ui/actions/copy-frame.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import { StartEdge } from '../../ui/page/start-edge.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects, lifecycles } from '../../ui/page/states.ts'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { tryCall } from '../../words/commands.ts'
import css from './first-run.module.css'
import { allowedCall, deniedCall, isStarter, starterEffect, starterName } from './first-steps.ts'

type Agent = Schema<'Agent'>
interface OfAgent {
  agent: Agent
}

/** True if the policy of the agent decides what the starter policy decides, as far as the reader may see it. */
function useIsStarter({ policy }: Agent): boolean {
  const path = { policy_id: policy?.id ?? '', version: policy?.version ?? 1 }
  const { data } = useQuery({ ...read('getPolicyVersion', { path }), enabled: policy?.name === starterName })
  return policy?.name === starterName && data !== undefined && isStarter(data.snapshot)
}

export function RegisteredNote({ agent }: OfAgent) {
  const { id, name, environment, policy } = agent
  const isStarterPolicy = useIsStarter(agent)
  return (
    <p className={css.note}>
      <PageLink to={`/agents/${id}`}>
        <Name>{name}</Name>
      </PageLink>
      {environment && (
        <>
          , in <Name>{environment.name}</Name>
        </>
      )}
      {policy && (
        <>
          {'; '}
          <PolicyVersionLink {...policy} />
        </>
      )}
      {isStarterPolicy && `: ${starterEffect}`}
    </p>
  )
}

export function StartedNote({ agent: { last_heartbeat_at: at } }: OfAgent) {
  return <p className={css.note}>Last heartbeat {at && <Time at={at} />}</p>
}

interface StartStepProps extends OfAgent {
  /** The key of the agent, while this page knows it. */
  keyText: string | undefined
  onKey: (agentId: string, key: string) => void
  onStored: () => void
}

/** The command has this text in place of the key if the page does not know the key. */
const keyPlaceholder = 'YOUR_KEY'

const engineer = (
  <p className={css.lede}>
    You do not run programs yourself? Send the command to the engineer who runs the agent, to run on the machine of the
    agent.
  </p>
)

/** The command that starts the edge. Its key is shown once, so after a reload the reader can only replace it. */
export function StartStep({ agent, keyText, onKey, onStored }: StartStepProps) {
  const rotate = useWrite('rotateAgentKey')
  const [isAsking, setAsking] = useState(false)
  const replace = async () => {
    const { agent_key: key } = await rotate.mutateAsync({ path: { agent_id: agent.id } })
    onKey(agent.id, key)
  }
  if (keyText === undefined)
    return (
      <>
        <p className={css.lede}>
          The key of the agent was shown once. Put it into the command in the place of <code>{keyPlaceholder}</code>. If
          you have not stored it, replace it: the old key then stops working.
        </p>
        {engineer}
        <div className={css.acts}>
          <Button onPress={() => setAsking(true)} disabledBecause={whyNot(agent, 'rotateAgentKey')}>
            Replace the key
          </Button>
        </div>
        {isAsking && (
          <Confirm
            title={`Replace the key of ${agent.name}?`}
            verb="Replace the key"
            look="danger"
            isFinal
            act={replace}
            onClose={() => setAsking(false)}
          >
            <p>The old key stops working at once. An edge that uses it must be started with the new one.</p>
          </Confirm>
        )}
        <StartEdge keyText={keyPlaceholder} isHeard={false} hasDemoServer />
      </>
    )
  return (
    <>
      <p className={css.lede}>The key of the agent is shown only once: copy the command now.</p>
      {engineer}
      <StartEdge keyText={keyText} onCopy={onStored} isHeard={false} hasDemoServer />
    </>
  )
}

/** The way to the review, where people approve what the agent may do. */
export function ApproveStep({ agent }: OfAgent) {
  const isProposed = agent.lifecycle_status === 'proposed'
  const { data } = useQuery({
    ...read('listReviews', { query: { agent_id: agent.id, status: 'pending', limit: 1 } }),
    enabled: isProposed,
  })
  const [review] = data?.data ?? []
  if (!isProposed)
    return (
      <p className={css.note}>
        <State {...lifecycles[agent.lifecycle_status]} />
      </p>
    )
  return (
    <>
      <p className={css.lede}>
        A person approves the version of the policy that the agent may run. From then on, Mandate reports every
        difference.
      </p>
      <div className={css.acts}>
        {review ? (
          <PageLink to={`/reviews/${review.id}`}>Open the review</PageLink>
        ) : (
          <PageLink to={`/agents/${agent.id}`}>Open the agent</PageLink>
        )}
      </div>
    </>
  )
}

type Decision = Schema<'Decision'>

/** The command of the allowed call, and the decision when it has arrived. */
export function AllowStep({ agent, pass }: OfAgent & { pass: Decision | undefined }) {
  if (pass)
    return (
      <p className={css.note}>
        <State {...effects.allow} /> <Copy value={pass.tool} what="tool" />, <Time at={pass.at} />
      </p>
    )
  return <Try agent={agent} effect="allow" />
}

/** The command of the denied call, and the decision when it has arrived. */
export function DenyStep({ agent, denial }: OfAgent & { denial: Decision | undefined }) {
  if (denial) return <Denied denial={denial} />
  return (
    <>
      <Try agent={agent} effect="deny" />
      <Waiting>Listening for the first denied call.</Waiting>
    </>
  )
}

const does = { allow: 'allows', deny: 'denies' }
const done = { allow: 'is allowed', deny: 'is denied' }

const calls = { allow: allowedCall, deny: deniedCall }
const outcome = {
  allow: 'The edge lets the call pass to the demonstration server, and the command prints the text of the file.',
  deny: 'The edge stops the call, and the command prints the reason. The demonstration server gets nothing.',
}

/** The command that makes one call through the edge. */
function Try({ agent, effect }: OfAgent & { effect: 'allow' | 'deny' }) {
  const { tool, args } = calls[effect]
  const isStarterPolicy = useIsStarter(agent)
  return (
    <>
      <p className={css.lede}>
        {isStarterPolicy ? (
          <>
            The policy {does[effect]} <code>{tool}</code>.
          </>
        ) : (
          <>
            Choose a tool that the policy <Name>{agent.policy?.name ?? ''}</Name> {does[effect]}.
          </>
        )}{' '}
        Run this beside the edge, in another terminal. {isStarterPolicy && outcome[effect]}
      </p>
      <CopyFrame value={tryCall(agent, tool, args)} what={`command of the call that ${done[effect]}`} />
    </>
  )
}

function Denied({ denial: { decision_id: id, tool, rule, at, agent } }: { denial: Decision }) {
  return (
    <div className={css.denied}>
      <p>
        <State {...effects.deny} /> <Copy value={tool} what="tool" />, <Time at={at} />
        {rule?.name && (
          <>
            , by the rule <Name>{rule.name}</Name>
          </>
        )}
      </p>
      <p className={css.acts}>
        <PageLink to={`/decisions/${id}`}>See why it was denied</PageLink>
        <PageLink to="/audit" search={{ agent_id: agent.id }}>
          See the audit trail
        </PageLink>
      </p>
    </div>
  )
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <p className={css.wait}>
      <Glyph name="live" />
      <span>{children}</span>
    </p>
  )
}
