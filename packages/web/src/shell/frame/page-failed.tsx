import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Failed } from '../../ui/texts/notes.tsx'
import { Door } from '../doors/door.tsx'

/** Shown instead of a page that could not be read. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Door name="Mandate" sentence="This page could not be read.">
      <Failed error={error as Error} onRetry={retry} />
    </Door>
  )
}

/** Shown for an address that no page has. */
export function NoSuchPage() {
  return (
    <Door name="No such page" sentence="This address leads to no page.">
      <p>
        Perhaps the link is incomplete. Go to the <Link to="/">overview</Link>.
      </p>
    </Door>
  )
}
