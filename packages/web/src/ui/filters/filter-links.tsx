import { useSearch } from '@tanstack/react-router'
import { PageLink, type Search } from '../page/page-link.tsx'
import css from './filter-links.module.css'

interface FilterLinksProps {
  /** What the links filter, for screen readers. */
  label: string
  to: string
  /** Each choice is a set of parameters of the address. The first one has no parameter. */
  choices: readonly { name: string; search: Search }[]
}

/** A few filters of which one applies. Each is a link, so that the address holds it. */
export function FilterLinks({ label, to, choices }: FilterLinksProps) {
  const current = useSearch({ strict: false }) as Search
  const own = [...new Set(choices.flatMap(({ search }) => Object.keys(search)))]
  const others = Object.fromEntries(Object.entries(current).filter(([key]) => !own.includes(key)))
  return (
    <nav className={css.filters} aria-label={label}>
      {choices.map(({ name, search }) => {
        const isOn = own.every((key) => current[key] === search[key])
        return (
          <PageLink
            key={name}
            to={to}
            search={{ ...others, ...search }}
            className={isOn ? `${css.chip} ${css.on}` : css.chip}
            isCurrent={isOn}
          >
            {name}
          </PageLink>
        )
      })}
    </nav>
  )
}
