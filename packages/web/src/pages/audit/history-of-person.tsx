import { seesPeople, useSession } from '../../session/session.ts'
import { FilterLinks } from '../../ui/filters/filter-links.tsx'

interface HistoryOfPersonProps {
  search: { actor_id?: string | undefined; resource_type?: string | undefined; resource_id?: string | undefined }
}

/** The two sides of the history of a person: what others did to the person, and what the person did. */
export function HistoryOfPerson({
  search: { actor_id: actor, resource_type: type, resource_id: object },
}: HistoryOfPersonProps) {
  // Other readers get no entries about people.
  const isShown = seesPeople(useSession())
  const person =
    type === 'user' && actor === undefined ? object : type === undefined && object === undefined ? actor : undefined
  if (person === undefined || !isShown) return null
  return (
    <FilterLinks
      label="History of the person"
      to="/audit"
      choices={[
        { name: 'What was done to the person', search: { resource_type: 'user', resource_id: person } },
        { name: 'What the person did', search: { actor_id: person } },
      ]}
    />
  )
}
