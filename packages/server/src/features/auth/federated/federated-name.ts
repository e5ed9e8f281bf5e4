import { characters } from '@mandate/contract/fields'
import { cleanDisplayName, displayNameMax } from '../../users/display-name.ts'

/** The name another party gives a person, as it is stored; none where it is too long, for a name is never cut. */
export function cleanFederatedName(name: string | null): string {
  const cleaned = name === null || !name.isWellFormed() ? '' : cleanDisplayName(name)
  return characters(cleaned) > displayNameMax ? '' : cleaned
}
