import { hasHidden } from '../hidden-characters.ts'
import { Name } from '../name.tsx'
import { partsOf } from './isolated.ts'

/** A sentence of the dashboard. It has the direction of the page, and only the names in it that are `isolated` have their own. */
export const Phrase = ({ children: text }: { children: string }) => (
  <>
    {partsOf(text).map((part, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
      index % 2 === 1 || hasHidden(part) ? <Name key={index}>{part}</Name> : part,
    )}
  </>
)
