import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { matchText } from '../../words/content-matches.ts'
import css from './content-matches.module.css'
import { Phrase } from './direction/phrase.tsx'

/** The patterns that matched in a call: where, how often, and what the policy does about it. Never the matched text. */
export function ContentMatches({ matches }: { matches: readonly Schema<'ContentMatch'>[] }) {
  const { data } = useQuery(read('listContentPatterns'))
  return (
    <ul className={css.list}>
      {matches.map((match) => (
        <li key={`${match.pattern_id} ${match.on}`}>
          <Phrase>{matchText(match, data?.data ?? [])}</Phrase>
        </li>
      ))}
    </ul>
  )
}
