import { buttonClass } from '../../ui/actions/button.tsx'
import { useNow } from '../../ui/browser/use-now.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Moment } from '../../ui/texts/time.tsx'
import { counted } from '../../words/words.ts'
import { type FreezeEdge, instanceKey } from './edge-table.tsx'
import css from './freeze.module.css'

const mostShown = 20

/** The first edges that do not answer. `total` is how many there are. */
export function NotAnsweringList({ edges, total }: { edges: readonly FreezeEdge[]; total: number }) {
  const shown = edges.slice(0, mostShown)
  const others = Math.max(edges.length, total) - shown.length
  return (
    <>
      {shown.map((edge) => (
        <NotAnswering key={instanceKey(edge)} edge={edge} />
      ))}
      {others > 0 && (
        <p className={css.none}>
          {counted(others, '# more edge does not answer.', '# more edges do not answer.', 10_000)}
        </p>
      )}
    </>
  )
}

/** An edge that does not answer, and what it can still do. */
function NotAnswering({ edge }: { edge: FreezeEdge }) {
  const now = useNow()
  const name = edge.edge?.name ?? edge.agent?.name ?? edge.instance_id
  const { closes_at: closesAt, agents } = edge
  const isClosed = closesAt !== null && Date.parse(closesAt) <= now
  return (
    <section className={css.missing} aria-label={`${name} does not answer`}>
      <h2>
        <Glyph name="lost" />
        <span>
          <Name>{name}</Name> does not answer
        </span>
      </h2>
      <p>
        {agents !== null && `It serves ${counted(agents, '# agent', '# agents')}. `}
        {closesAt === null ? (
          'It never said when it stops by itself. If it still runs, it may go on to enforce the policies that it had.'
        ) : isClosed ? (
          <>
            Without an answer it denies every call since <Moment at={closesAt} />.
          </>
        ) : (
          <>
            If it still runs, it enforces the policies that it had until <Moment at={closesAt} />. Then it denies every
            call.
          </>
        )}
      </p>
      {edge.edge && (
        <div>
          <PageLink to={`/edges/${edge.edge.id}`} className={buttonClass()}>
            Open the edge
          </PageLink>
        </div>
      )}
    </section>
  )
}
