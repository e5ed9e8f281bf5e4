import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { clockTime, exactTime } from '../../words/times.ts'
import { counted } from '../../words/words.ts'
import css from './freeze-bar.module.css'
import { otherFreezes } from './freeze-effect.ts'

/** The server counts the overview at most this often, so an event may come before the counts that it changes. */
const overviewMs = 10_000

/** Says on every page what is frozen. */
export function FreezeBar() {
  const { data } = useQuery({ ...read('getOverview', { query: { include: 'names' } }), refetchInterval: overviewMs })
  const freezes = data?.freezes ?? []
  const [newest] = freezes
  const by = newest?.created_by ? data?.names?.[newest.created_by] : undefined
  return (
    <div role="status">
      {newest && (
        <div className={css.bar}>
          <Glyph name="frozen" />
          <b>
            <Name>{newest.name}</Name> is frozen
          </b>
          <span>
            since{' '}
            <time dateTime={newest.created_at} title={exactTime(newest.created_at)}>
              {clockTime(newest.created_at)}
            </time>
            {by && (
              <>
                {' '}
                by <Name>{by}</Name>
              </>
            )}
            .
            {newest.agents !== null &&
              ` ${counted(newest.agents, '# agent is denied every call.', '# agents are denied every call.', 10_000)}`}
            {otherFreezes(freezes.length)}
          </span>
          <span className={css.end}>
            <PageLink to={freezes.length > 1 ? '/freezes' : `/freezes/${newest.id}`}>Show</PageLink>
          </span>
        </div>
      )}
    </div>
  )
}
