import { useSession } from '../../session/session.ts'
import { ownRole } from '../../words/words.ts'

/** What the button of the own menu shows: the initials of the person, with a name for screen readers. */
export function useOwnButton() {
  const { user } = useSession()
  const name = user.display_name || user.email
  const initials = initialsOf(name)
  return { name, initials, label: `${initials}, ${name}, ${ownRole(user)}, your menu` }
}

function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean)
  return (words.length > 1 ? [words[0], words[1]] : words).map((word) => [...(word ?? '')][0]?.toUpperCase()).join('')
}
