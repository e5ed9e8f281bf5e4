import { ForeignText } from './foreign-text.tsx'
import { hasHidden } from './hidden-characters.ts'

interface NameProps {
  children: string
  className?: string | undefined
  /** The whole text, where its place can cut it. */
  title?: string | undefined
}

/** A name or another text that somebody chose. Its direction is isolated, and its hidden characters are visible. */
export const Name = ({ children: text, className, title }: NameProps) =>
  hasHidden(text) ? (
    <span className={className} title={title}>
      <ForeignText text={text} />
    </span>
  ) : (
    <bdi className={className} title={title}>
      {text}
    </bdi>
  )
