import { facts } from 'virtual:help-facts'
import { useSearch } from '@tanstack/react-router'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { Panel } from '../../ui/page/panel.tsx'
import css from './help.module.css'
import { Marked } from './marked.tsx'

/** The words of the screens and their meanings. */
export function Words() {
  const { search } = useSearch({ from: '/inside/help' })
  const { change, clear } = useFilters('/help', ['tab'])
  const name = { name: 'search', label: 'Search words', value: search }
  const wanted = (search ?? '').trim().toLowerCase()
  const groups = facts.words
    .map(({ group, words }) => ({
      group,
      words: words.filter(({ term, meaning }) => `${term} ${meaning}`.toLowerCase().includes(wanted)),
    }))
    .filter(({ words }) => words.length > 0)
  return (
    <>
      <FilterBar search={name} filters={[]} onChange={change} onClear={clear} />
      {groups.length === 0 && <NoMatch what="word" filters={activeOf([], name)} onChange={change} onClear={clear} />}
      {groups.map(({ group, words }) => (
        <Panel key={group} title={group}>
          <dl className={css.words}>
            {words.map(({ id, term, meaning, more }) => (
              <div key={id}>
                <dt>
                  <Marked text={term} />
                </dt>
                <dd>
                  <Marked text={meaning} />
                  {more && (
                    <>
                      {' '}
                      More: <code>{more}</code>
                    </>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </Panel>
      ))}
    </>
  )
}
