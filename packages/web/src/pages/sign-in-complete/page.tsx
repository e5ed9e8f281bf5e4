import { Link, useLoaderData } from '@tanstack/react-router'
import { Door } from '../../shell/doors/door.tsx'
import { FieldError } from '../../ui/fields/field.tsx'

/** Shown if the code of the address signs nobody in. */
export function NotSignedInPage() {
  const { refusal } = useLoaderData({ from: '/sign-in/complete' })
  return (
    <Door name="Sign in" sentence="This link signs you in once, within a minute, and only in the browser that started.">
      <FieldError text={refusal} />
      <p>
        Start again: <Link to="/sign-in">Sign in</Link>
      </p>
    </Door>
  )
}
