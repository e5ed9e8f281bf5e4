import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { numberOf } from '../../words/words.ts'
import type { FreezeEdge } from './edge-table.tsx'
import css from './freeze.module.css'
import { byEnvironment, type EnvironmentRows } from './reach.ts'

/** Cells of a line. The number beside them counts the others too. */
const mostCells = 60

/** One square for each edge, by environment. `total` is how many edges the freeze has, `rows` are those that were read. */
export function EnvironmentCells({ rows, total }: { rows: readonly FreezeEdge[]; total: number }) {
  const environments = byEnvironment(rows)
  if (environments.length < 2) return null
  return (
    <Panel title="By environment">
      <ul className={css.environments}>
        {environments.map((line) => (
          <Line key={line.environment?.id ?? ''} {...line} />
        ))}
      </ul>
      {rows.length < total && (
        <p className={css.note}>{`Counts ${numberOf(rows.length)} of ${numberOf(total, 10_000)} edges.`}</p>
      )}
    </Panel>
  )
}

function Line({ environment, rows, confirmed }: EnvironmentRows) {
  return (
    <li>
      <span className={css.environment}>
        {environment ? (
          <PageLink to="/edges" search={{ environment_id: environment.id }}>
            <Name>{environment.name}</Name>
          </PageLink>
        ) : (
          'No environment'
        )}
      </span>
      <span className={css.cells} aria-hidden>
        {rows.slice(0, mostCells).map(({ state }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity
          <span key={index} data-state={state} />
        ))}
      </span>
      <span className={css.counted}>
        {`${numberOf(confirmed)} of ${numberOf(rows.length)}`}
        <span className="hidden-text"> confirmed</span>
      </span>
    </li>
  )
}
