import css from '../fields/secret.module.css'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'

interface CopyFrameProps {
  value: string
  /** What the text is, such as "command". */
  what: string
  onCopy?: () => void
}

/** A command or another text in a frame, with a button that copies it. */
export function CopyFrame({ value, what, onCopy }: CopyFrameProps) {
  const copy = async () => {
    if (await copyText(value, what)) onCopy?.()
  }
  return (
    <div className={css.place}>
      <div className={css.frame}>
        <pre>
          <code>{value}</code>
        </pre>
        <Button glyph="copy" onPress={copy} name={`Copy the ${what}`}>
          Copy
        </Button>
      </div>
    </div>
  )
}
