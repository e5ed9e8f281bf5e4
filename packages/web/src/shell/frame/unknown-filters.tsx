import { useRouter, useRouterState } from '@tanstack/react-router'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import css from './shell.module.css'

/** Says which filters of the address the page does not have. Without it, a misspelt filter would look like one that finds everything. */
export function UnknownFilters() {
  const { routesById } = useRouter()
  const names = useRouterState({
    select: ({ matches, location }) => {
      const search: Record<string, unknown> = location.search
      const last = matches.at(-1)
      const read = last && routesById[last.routeId].options.validateSearch
      const known = typeof read === 'function' ? read(search as never) : {}
      return Object.keys(search).filter((name) => search[name] !== '' && !(name in known))
    },
    structuralSharing: true,
  })
  return (
    <div role="status">
      {names.length > 0 && (
        <div className={css.lost}>
          <Glyph name="warn" />
          <span>
            The address has {names.length === 1 ? 'a filter' : 'filters'} that this page does not know, and shows
            everything without {names.length === 1 ? 'it' : 'them'}: <Name>{names.join(', ')}</Name>
          </span>
        </div>
      )}
    </div>
  )
}
