import { useSession } from '../../session/session.ts'
import { CopyFrame } from '../../ui/actions/copy-frame.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { Time } from '../../ui/texts/time.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { tryCall } from '../../words/commands.ts'
import { counted } from '../../words/words.ts'
import { freeSeats } from '../team/words.ts'
import css from './first-run.module.css'
import { allowedCall, heldCall, starterName } from './first-steps.ts'
import type { FirstRun } from './use-first-run.ts'

/** The newest decisions while the reader tries the first calls. */
export function LiveDecisions({ run: { decisions } }: { run: FirstRun }) {
  return (
    <Panel title="Live, this organization">
      {decisions.length === 0 ? (
        <p className={css.none}>
          No call was decided yet. The next one is <code>{allowedCall.tool}</code>.
        </p>
      ) : (
        <ul aria-label="Newest decisions" className={css.links}>
          {decisions.map(({ decision_id: id, at, effect, tool }) => (
            <li key={id}>
              <PageLink to={`/decisions/${id}`}>
                <ToolName tool={tool} />
              </PageLink>
              <div className={css.outcome}>
                <State {...effects[effect]} />
                <Time at={at} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** What a new organization does after its first call. */
export function AfterThat({ run: { agent, denial } }: { run: FirstRun }) {
  const { tenant } = useSession()
  const { seats } = tenant
  const free = seats ? freeSeats(seats) : null
  return (
    <Panel title="After that">
      <ul className={css.links}>
        {denial && agent?.policy?.name === starterName && (
          <li>
            <h3>Decide a call that waits</h3>
            <span>
              No rule names <code>{heldCall.tool}</code>, so each call waits for a person. After the approval, the same
              call writes the text, once.
            </span>
            <CopyFrame value={tryCall(agent, heldCall.tool, heldCall.args)} what="command of the call that waits" />
            <PageLink to="/approvals">Open Approvals</PageLink>
          </li>
        )}
        <li>
          <PageLink to="/team">Invite the people who decide</PageLink>
          {free !== null && <span>{counted(free, '# seat is free', '# seats are free')}</span>}
        </li>
        {tenant.governance_gate !== 'enforce' && (
          <li>
            <PageLink to="/settings">Set the gate to enforce</PageLink>
            <span>New agents are then denied until a review approves them</span>
          </li>
        )}
        <li>
          <PageLink to="/help">Read what each role may do, and what the words mean</PageLink>
          <span>Help is in your menu too</span>
        </li>
        <li>
          <PageLink to="/agents">Register an agent that you already run</PageLink>
          <span>Its edge is a proxy for MCP servers, a guard in its code, or a hook</span>
        </li>
      </ul>
    </Panel>
  )
}
