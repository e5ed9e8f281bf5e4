import { isNone } from '../../api/queries.ts'
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
  const link = <PageLink to={all.to}>{all.text}</PageLink>
  if (isNone(error)) {
    // Another try would get the same answer.
    const none = `There is no such ${name.split(' ', 1).join().toLowerCase()}, or you may not see it.`
    return (
      <>
        <PageHead name={name} sentence={none} />
        {link}
      </>
    )
  }
  return (
    <>
      <PageHead name={name} sentence={error && 'It could not be read.'} />
      {error ? (
        <>
          <Failed error={error} onRetry={onRetry} />
          {link}
        </>
      ) : (
        <Loading rows={10} />
      )}
    </>
  )
}
