import { isLonger } from '@mandate/contract/fields/text-length'
import { cleanDisplayName, displayNameMax } from '../../users/change/display-name.ts'

/**
 * Cleans the name that an identity provider gives for a person. Returns an empty text if the name is too long, because names are
 * never shortened.
 */
export function cleanFederatedName(name: string | null): string {
  const cleaned = name === null || !name.isWellFormed() ? '' : cleanDisplayName(name)
  return isLonger(cleaned, displayNameMax) ? '' : cleaned
}
