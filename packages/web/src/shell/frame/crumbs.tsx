import { Link, useMatches, useRouter } from '@tanstack/react-router'
import { useSession } from '../../session/session.ts'
import { usePageName } from '../../ui/page/page-name.ts'
import { Name } from '../../ui/texts/name.tsx'
import css from './crumbs.module.css'

/** The way from the organization to this page: the list that the page belongs to, if it shows one object, and the page itself. */
export function Crumbs() {
  const { tenant } = useSession()
  const { name, parent } = useCrumbs()
  return (
    <nav className={css.crumbs} aria-label="Breadcrumb">
      <ol>
        <li>
          <Link to="/" activeOptions={{ exact: true }}>
            <Name>{tenant.name}</Name>
          </Link>
        </li>
        {parent && (
          <li className={css.parent}>
            {/* The router would mark this link as the current page, because its path begins like this page's. */}
            <Link to={parent.to as '/'} activeOptions={{ exact: true }}>
              {parent.name}
            </Link>
          </li>
        )}
        {name !== undefined && (
          <li aria-current="page">
            <Name>{name}</Name>
          </li>
        )}
      </ol>
    </nav>
  )
}

function useCrumbs() {
  const { routesByPath } = useRouter()
  const pageName = usePageName()
  const page = useMatches({ select: (matches) => matches.at(-1) })
  if (page?.staticData.crumb === undefined) return {}
  // The list of the objects at `/agents/$id` is at `/agents`.
  const to = page.fullPath.slice(0, page.fullPath.lastIndexOf('/'))
  const list = (routesByPath as Record<string, { options: { staticData?: { crumb?: string } } }>)[to]
  const parent = list?.options.staticData?.crumb
  if (parent === undefined) return { name: page.staticData.crumb }
  return { name: pageName ?? page.staticData.crumb, parent: { name: parent, to } }
}
