import { Button } from 'react-aria-components'
import { Glyph } from '../texts/glyph.tsx'
import { Name } from '../texts/name.tsx'
import css from './copy.module.css'
import { copyText } from './copy-text.ts'

/** Shows `sha256:` with 8 and 4 of its characters. */
export const shortDigest = (digest: string) => {
  const hex = digest.replace(/^sha256:/, '')
  return hex.length > 16 ? `sha256:${hex.slice(0, 8)}…${hex.slice(-4)}` : digest
}

export const shortId = (id: string) => `${id.slice(0, 8)}…${id.slice(-4)}`

/** An id, a digest or a command. A press copies the whole value. */
export function Copy({ value, shown = value, what }: { value: string; shown?: string; what: string }) {
  const copy = () => void copyText(value, what)
  // The name has the visible text too, because people who speak to their computer say it.
  const name = shown === value ? `Copy the ${what} ${value}` : `${shown}, copy the ${what} ${value}`
  return (
    <Button className={`${css.copy} mono`} onPress={copy} aria-label={name} data-value>
      <Name className="on-screen">{shown}</Name>
      <Name className="on-paper">{value}</Name>
      <Glyph name="copy" />
    </Button>
  )
}
