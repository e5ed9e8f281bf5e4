import { facts } from 'virtual:help-facts'
import type { Schema } from '@mandate/sdk'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { roleHints } from '../team/words.ts'
import css from './help.module.css'

const floors = [
  { floor: 'learner', title: 'Everyone, also learners' },
  { floor: 'viewer', title: 'Viewer' },
  { floor: 'member', title: 'Member' },
  { floor: 'manager', title: 'Manager' },
  { floor: 'owner', title: 'Owner' },
] as const

const plainly = {
  ...roleHints,
  learner: 'Signs in, uses the training, and changes their own name, password and second factor.',
}

/** What each role may do: in a sentence, and area by area. */
export function Roles({ user }: { user: Pick<Schema<'User'>, 'role' | 'read_only'> }) {
  return (
    <>
      <p className={css.note}>
        Each role may also do what the roles before it may do. Some objects have rules of their own: only an owner
        approves an agent in production, for example. A button that you may not use says why. A manager changes roles on
        the page Team. A read-only person sees what the role sees and changes nothing; only an owner sets and ends this.
        An auditor is usually a manager who is read-only.
      </p>
      {floors.map(({ floor, title }) => (
        <Panel
          key={floor}
          title={title}
          legend={
            floor === user.role && (
              <State glyph="person" tone="quiet" word={user.read_only ? 'Your role, read-only' : 'Your role'} />
            )
          }
        >
          <p className={css.plain}>{plainly[floor]}</p>
          <details>
            <summary>Everything that is new with this role, area by area</summary>
            <KeyValues
              rows={areasOf(floor).map(({ area, summaries }) => [area, <Lines key={area} texts={summaries} />])}
            />
          </details>
        </Panel>
      ))}
    </>
  )
}

/** What a role may do that the role before it may not, by area. */
function areasOf(floor: string): { area: string; summaries: string[] }[] {
  const abilities = facts.abilities.filter((ability) => ability.floor === floor)
  return [...new Set(abilities.map(({ area }) => area))].map((area) => ({
    area,
    summaries: abilities
      .filter((ability) => ability.area === area)
      .map(({ summary, needsAll }) => (needsAll ? `${summary}, with access to the whole organization` : summary)),
  }))
}

const Lines = ({ texts }: { texts: readonly string[] }) => (
  <ul className={css.lines}>
    {texts.map((text) => (
      <li key={text}>{text}</li>
    ))}
  </ul>
)
