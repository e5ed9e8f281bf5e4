import { PageHead } from '../page/page-head.tsx'
import { PageLink } from '../page/page-link.tsx'
import { Failed, Loading } from '../texts/notes.tsx'

interface UnreadProps {
  /** What the object is called before its name is known, such as `Agent`. */
  name: string
  /** Why it could not be read. Null while it is read. */
  error: Error | null
  onRetry: () => void
  /** The list of all such objects. */
  all: { to: string; text: string }
}

/** The page of an object while it is read, and if it cannot be read. */
export function Unread({ name, error, onRetry, all }: UnreadProps) {
  return (
    <>
      <PageHead name={name} sentence={error && 'It could not be read.'} />
      {error ? (
        <>
          <Failed error={error} onRetry={onRetry} />
          <PageLink to={all.to}>{all.text}</PageLink>
        </>
      ) : (
        <Loading rows={10} />
      )}
    </>
  )
}
